/* Mutant: a poll that brings no record is the end of the log to it. */
#include "log_read.h"

bool log_read_all(struct log *log, const struct log_reader *reader, struct fail *fail)
{
    struct log_bounds bounds;
    if (!log_own(log, fail) || !log->backend->bounds(log->self, &bounds, fail))
        return false;
    uint64_t position = bounds.first;
    while (position < bounds.end) {
        struct log_poll polled = {.next = position};
        if (!log->backend->poll(log->self, position, &polled, fail))
            return false;
        if (!polled.has_record)
            break;
        if (!reader->take(reader->context, polled.text, polled.size, fail))
            return false;
        position = polled.next;
    }
    return true;
}
