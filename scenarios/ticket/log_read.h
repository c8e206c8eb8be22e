/* log_read.h - reads all that is in a log, and knows when it has not.
 *
 * The end H is taken once, and the read is complete when its position is H: never because a poll
 * brought nothing. It is refused (EXIT_CODE_REFUSED) when the log does not begin at 0, is another
 * one afterwards, has another end afterwards, or does not get to H within the time limit. These
 * checks do not notice a writer that is alive and appends nothing: all writers must have stopped.
 */
#ifndef TICKET_LOG_READ_H
#define TICKET_LOG_READ_H

#include "log.h"

struct log_reader {
    bool (*take)(void *context, const char *text, size_t size, struct fail *fail);
    void *context;
    int timeout_ms; /* for as long may the position stand still */
};

bool log_read_all(struct log *log, const struct log_reader *reader, struct fail *fail);

#endif
