/* cell.h - the surroundings of a case: namespaces of its own, and a file system in memory.
 *
 * So fixed ports do not clash, nothing outlives the case, and no file of it is on the machine's
 * disks. They are made once for a case; its runs come one after the other in them. */
#ifndef SCENARIOS_CELL_H
#define SCENARIOS_CELL_H

#include <sys/types.h>

#include "tracer/base/err.h"

struct cell {
    const char *folder; /* empty, absolute; mounted over */
    bool is_isolated;   /* out: namespaces are there, and this is pid 1 */
};

/* For a forked child of `parent`, with one thread: gives it the surroundings and forks again;
 * returns in the inner process only, or false in the outer one. The outer one exits with the inner
 * one's status; neither outlives the parent. want_isolation false, on machines that forbid it: the
 * process stays as it is, and what it starts is found as its children. */
MUST_USE bool cell_enter(struct cell *cell, bool want_isolation, pid_t parent, struct err *err);

#endif
