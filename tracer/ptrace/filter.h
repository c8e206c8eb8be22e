/* filter.h - which system calls stop the worker.
 *
 * Everything not listed runs at native speed. Calls that matter only to some processes are in sets
 * of their own, which are put into a process while it runs, when it gets its first socket or its
 * first shared mapping of a workspace file; its children inherit them. */
#ifndef PTRACE_FILTER_H
#define PTRACE_FILTER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/base/err.h"

enum filter_set {
    FILTER_MAIN = 1 << 0,
    FILTER_SOCKETS = 1 << 1,  /* reads and closes */
    FILTER_MAPPINGS = 1 << 2, /* what ends or syncs a mapping */
    FILTER_LOCKS = 1 << 3,    /* locks, and closes, which give them back */
};

/* What the kernel hands the tracer along with a stop. */
enum filter_mark { FILTER_CALL, FILTER_FOREIGN /* a call of another ABI: int 80, x32 */ };

/* For the worker, right before exec: from now on the calls of the sets fail unless a tracer is
 * there. Without the right to load filters no_new_privs is set first. */
MUST_USE bool filter_load(unsigned sets, struct err *err);

/* Puts a further set into the process of a thread at the exit stop of a call; into all its
 * threads. */
MUST_USE bool filter_inject(enum filter_set set, pid_t tid, struct err *err);

#endif
