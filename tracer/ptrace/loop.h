/* loop.h - the wait loop: one stop after another, until no process of the worker is left. */
#ifndef PTRACE_LOOP_H
#define PTRACE_LOOP_H

#include "recorder.h"

/* The main process must be in the table. On false everything has been killed as well. */
MUST_USE bool loop_run(struct recorder *recorder, enum record_end *end, struct err *err);

#endif
