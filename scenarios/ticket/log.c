#include "log.h"

#include <unistd.h>

void log_init(struct log *log, const struct log_backend *backend, void *self)
{
    *log = (struct log){.backend = backend, .self = self};
}

void log_close(struct log *log)
{
    if (log->owner != 0)
        log->backend->close(log->self);
    log->owner = 0;
}

bool log_own(struct log *log, struct fail *fail)
{
    if (log->owner != 0) {
        return log->owner == gettid() ||
               fail_with(fail, EXIT_CODE_SYSTEM, "the log belongs to another thread");
    }
    if (!log->backend->open(log->self, fail))
        return false;
    log->owner = gettid();
    return log->backend->metadata(log->self, &log->metadata, fail);
}

bool log_append(struct log *log, const char *text, size_t size, struct fail *fail)
{
    return log_own(log, fail) && log->backend->append(log->self, text, size, fail);
}

bool log_flush(struct log *log, struct fail *fail)
{
    return log_own(log, fail) && log->backend->flush(log->self, fail);
}

bool log_wait(struct log *log, int timeout_ms, struct fail *fail)
{
    if (!log_own(log, fail) || !log->backend->wait(log->self, timeout_ms, fail))
        return false;
    /* The first append made the log. */
    return log->metadata.text[0] != '\0' || log->backend->metadata(log->self, &log->metadata, fail);
}
