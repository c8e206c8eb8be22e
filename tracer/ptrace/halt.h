/* halt.h - ending the worker at the place where it stands, for good.
 *
 * All its processes die there. What a barrier wants to happen first is done by the halted thread
 * itself: a sync of what it wrote, or an exit without clean-up. */
#ifndef PTRACE_HALT_H
#define PTRACE_HALT_H

#include "recorder.h"

/* Shortens the call at its entry to so many bytes. */
MUST_USE bool halt_shorten(const struct tracee *tracee, uint64_t bytes, struct err *err);

/* The thread stands at the entry of a call that is not to be done. */
MUST_USE bool halt_before(struct recorder *recorder, struct tracee *tracee, struct err *err);

/* The thread stands at the exit of a call, or at its own end. */
MUST_USE bool halt_after(struct recorder *recorder, struct tracee *tracee, struct err *err);

/* The wait status of a process that ended after the halt. */
void halt_note_end(struct recorder *recorder, pid_t pid, int status);

/* When no process is left: whether the halted one died as it should have. */
MUST_USE bool halt_verify(const struct recorder *recorder, struct err *err);

#endif
