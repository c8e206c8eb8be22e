/* promises.h - the files that tell a check what the outside had got before the crash.
 *
 * All states' promises are prefixes of one stream, so one file grows and is cut from state to
 * state; it is written anew only when a command touched it. */
#ifndef RUNNER_PROMISES_H
#define RUNNER_PROMISES_H

#include <sys/stat.h>

#include "tracer/trace/trace.h"

struct promise_file {
    char *path;
    int fd;
    uint64_t size;
    struct stat left; /* as we left it */
};

struct promises {
    const struct trace *trace;
    char *folder;
    bool trusts_times; /* every change of a file shows in its times */
    struct stat left;  /* of the folder */
    struct promise_file acked, sent;
    uint32_t *acked_ops; /* ops that wrote to stdout, and where in the stream each ends */
    uint64_t *acked_ends;
    size_t acked_count;
    uint32_t *sent_ops;
    size_t sent_count;
    char *sent_text; /* the lines of the first sent_lines messages */
    size_t sent_capacity, sent_ends_capacity;
    uint64_t *sent_ends;
    size_t sent_lines;
};

/* The files acked and sent are made in the folder, which is kept free of anything else. */
MUST_USE bool promises_open(struct promises *promises, const struct trace *trace,
                            const char *folder, bool trusts_times, struct err *err);
void promises_close(struct promises *promises);

/* Gives both files their content for a state. must_rewrite: times tell nothing this time. */
MUST_USE bool promises_set(struct promises *promises, const struct trace_promised *promised,
                           bool must_rewrite, struct err *err);

/* The line of one message, with its newline: {"op":N,"peer":"...","text":"..."}, or "base64" when
 * the bytes are no UTF-8. Caller frees *out. */
MUST_USE bool promises_line(const struct trace *trace, uint32_t op, char **out, struct err *err);

#endif
