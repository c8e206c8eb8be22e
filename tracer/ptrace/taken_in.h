/* taken_in.h - what comes into the workspace from outside. */
#ifndef PTRACE_TAKEN_IN_H
#define PTRACE_TAKEN_IN_H

#include "recorder.h"

/* Something from outside stands in a place of the workspace now (renamed or linked in): it becomes
 * new nodes with its content as it is, all ops one call. A file in it that has another name in the
 * workspace already is no new node: it only gets a further name. */
MUST_USE bool taken_in(struct recorder *recorder, const struct tracee *tracee,
                       const struct call_place *place, struct err *err);

#endif
