/* recorded.h - runs a program of a run under the recorder, to its end or to a barrier.
 *
 * The trace stays in memory. It is true: what it leads to is compared with what the program left,
 * whenever somebody is going to ask it. */
#ifndef SCENARIOS_RECORDED_H
#define SCENARIOS_RECORDED_H

#include <signal.h>

#include "child.h"

struct recorded_options {
    struct child_options child;
    const struct plan_barrier *crash; /* NULL: none */
    uint32_t count;                   /* processes started together */
    const uint32_t *order;            /* in which they get their locks; NULL: any */
    const struct barrier *also;       /* where they wait as well as at locks; NULL: nowhere */
    bool want_check;                  /* compare what the trace leads to with what is there */
};

/* A barrier that was not reached, or that was reached otherwise than it says, is an ERR_HARNESS. */
MUST_USE bool recorded_run(const struct recorded_options *options, struct ended *out,
                           struct err *err);

/* In which order the processes got their locks, or came by the call `also` (NULL: none), as numbers
 * from 1: "3 1 2". Caller frees *out. */
MUST_USE bool recorded_lock_order(const struct ended *ended, const struct barrier *also, char **out,
                                  struct err *err);

/* How the processes that were started together ended: "8 x exit 0". Caller frees. */
char *recorded_ends(const struct ended *ended);

#endif
