/* log.h - the event log, whatever keeps it: a file, or a server behind a connection.
 *
 * A record is a text at a position. Positions grow and need not be dense: one may carry no record.
 * A handle belongs to the thread that used it first; every other thread is refused. It is opened by
 * its first use, so that a log which is not there yet may still be made by the first append. */
#ifndef TICKET_LOG_H
#define TICKET_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fail.h"

enum { LOG_METADATA_SIZE = 160 };

/* What identifies a log; equal as long as it is the same one. Empty: it is not there yet. */
struct log_metadata {
    char text[LOG_METADATA_SIZE];
};

/* Its records have positions from `first` on, below `end`. */
struct log_bounds {
    uint64_t first;
    uint64_t end;
};

struct log_poll {
    bool has_record;  /* false says nothing: neither that there is an end nor that one is missing */
    const char *text; /* valid until the next call */
    size_t size;
    uint64_t next; /* the position to poll next; may move on without a record */
};

/* Each gets `self`. All but close may fail. */
struct log_backend {
    bool (*open)(void *self, struct fail *fail);
    bool (*metadata)(void *self, struct log_metadata *metadata, struct fail *fail); /* as of now */
    bool (*bounds)(void *self, struct log_bounds *bounds, struct fail *fail);       /* as of now */
    bool (*poll)(void *self, uint64_t position, struct log_poll *poll, struct fail *fail);
    /* The record is durable when append, flush and wait have all said true. Only the wait is
     * bounded by the time limit: a flush blocks for as long as the storage does. */
    bool (*append)(void *self, const char *text, size_t size, struct fail *fail);
    bool (*flush)(void *self, struct fail *fail);
    bool (*wait)(void *self, int timeout_ms, struct fail *fail);
    void (*close)(void *self);
};

struct log {
    const struct log_backend *backend;
    void *self;
    pid_t owner; /* thread id; 0 until it is opened */
    struct log_metadata metadata;
};

void log_init(struct log *log, const struct log_backend *backend, void *self);
void log_close(struct log *log);

bool log_append(struct log *log, const char *text, size_t size, struct fail *fail);
bool log_flush(struct log *log, struct fail *fail);
bool log_wait(struct log *log, int timeout_ms, struct fail *fail);

/* Opens it when it is not; false when another thread owns it. */
bool log_own(struct log *log, struct fail *fail);

#endif
