/* watch.h - says when the worker has come to the place where it is to be halted.
 *
 * There are two ways to name a place: by the number of an op in the trace, to run a recording again
 * up to it, and by a barrier, by what a call means. Both are asked at the entry of each call that
 * is followed, and after each call that was done. */
#ifndef PTRACE_WATCH_H
#define PTRACE_WATCH_H

#include "recorder.h"

enum watch_place { WATCH_NOT_HERE, WATCH_BEFORE, WATCH_INSIDE };
struct watch_answer {
    enum watch_place place;
    uint64_t bytes; /* WATCH_INSIDE: how many are done of the call */
};

struct watch {
    /* At the entry; the call is what the handler has found out about it. */
    bool (*entry)(struct watch *watch, struct recorder *recorder, struct tracee *tracee,
                  struct watch_answer *out, struct err *err);
    /* After a call of the thread: whether the place has been reached. */
    bool (*exit)(struct watch *watch, struct recorder *recorder, bool *is_reached, struct err *err);
    void (*free)(struct watch *watch);
};

/* NULL where the worker is to run to its end. */
struct watch *watch_new(const struct record_options *options, struct trace_writer *writer);
void watch_free(struct watch *watch);

/* The two. */
struct watch *watch_op_new(const struct record_halt *halt);
struct watch *watch_barrier_new(const struct barrier *barrier, struct trace_writer *writer);

#endif
