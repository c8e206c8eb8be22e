#include "log_read.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <time.h>

enum { PAUSE_MS = 1, MS_PER_SECOND = 1000, NS_PER_MS = 1000000 };

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * MS_PER_SECOND + now.tv_nsec / NS_PER_MS;
}

static bool read_to(struct log *log, uint64_t end, const struct log_reader *reader,
                    struct fail *fail)
{
    uint64_t position = 0;
    int64_t moved_at = now_ms();
    while (position < end) {
        struct log_poll polled = {.next = position};
        if (!log->backend->poll(log->self, position, &polled, fail))
            return false;
        if (polled.has_record && !reader->take(reader->context, polled.text, polled.size, fail))
            return false;
        if (polled.next > position) {
            position = polled.next;
            moved_at = now_ms();
        } else if (now_ms() - moved_at >= reader->timeout_ms) {
            return fail_with(fail, EXIT_CODE_REFUSED,
                             "stopped before the end: the log's position stays at %" PRIu64
                             " of %" PRIu64,
                             position, end);
        } else {
            poll(NULL, 0, PAUSE_MS);
        }
    }
    return true;
}

bool log_read_all(struct log *log, const struct log_reader *reader, struct fail *fail)
{
    struct log_bounds before;
    struct log_bounds after;
    struct log_metadata metadata;
    if (!log_own(log, fail) || !log->backend->bounds(log->self, &before, fail))
        return false;
    if (before.first != 0) {
        return fail_with(fail, EXIT_CODE_REFUSED,
                         "missing prefix: the log begins at %" PRIu64 ", not at 0", before.first);
    }
    if (!read_to(log, before.end, reader, fail) ||
        !log->backend->metadata(log->self, &metadata, fail) ||
        !log->backend->bounds(log->self, &after, fail))
        return false;
    if (strcmp(metadata.text, log->metadata.text) != 0) {
        return fail_with(fail, EXIT_CODE_REFUSED,
                         "changed metadata: it is no longer the log that was opened");
    }
    return (after.first == 0 && after.end == before.end) ||
           fail_with(fail, EXIT_CODE_REFUSED,
                     "changed end: %" PRIu64 " became %" PRIu64 " during the read", before.end,
                     after.end);
}
