/* put.h - the operation: counts up by one for a new key, and says the old result for a known one.
 *
 * The order of its steps is the whole point of the journal:
 *   lock, scan, cut off a torn end, look the key up,
 *   for the first record make the file's name durable, append, sync,
 *   and only then answer. */
#ifndef JOURNAL_PUT_H
#define JOURNAL_PUT_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"
#include "journal_file.h"

struct put_request {
    struct utf_text key;
    struct utf_text body;
    int answer_fd; /* gets "RESULT n" or "REPLAY n" and a line feed, by one write call */
};

/* The file must be open with JOURNAL_APPEND; it is closed before the answer, so that a reader who
 * does not take the answer keeps nobody else waiting. */
bool put_run(struct journal_file *file, const struct put_request *request, struct fail *fail);

#endif
