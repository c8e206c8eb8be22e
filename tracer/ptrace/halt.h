/* halt.h - stopping the worker at one place of its trace, for good. */
#ifndef PTRACE_HALT_H
#define PTRACE_HALT_H

#include "recorder.h"

/* At the entry of a call that would change something: whether the place has been reached, so that
 * the call must not be done. */
bool halt_is_before(const struct recorder *recorder);

/* Shortens the call at its entry when it is the one to be halted inside; sets *is_inside then. */
MUST_USE bool halt_shorten(const struct recorder *recorder, const struct tracee *tracee,
                           bool *is_inside, struct err *err);

/* After a call has been done: whether the place has been reached. */
bool halt_is_after(const struct recorder *recorder);

#endif
