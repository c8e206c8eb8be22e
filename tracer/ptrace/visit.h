/* visit.h - what to do at one stop of one thread.
 *
 * A thread at a stop is the tracer's until it is let go on; each function here either does that or
 * leaves the thread waiting on purpose (held at the entry of a call, or unborn). */
#ifndef PTRACE_VISIT_H
#define PTRACE_VISIT_H

#include "recorder.h"

/* Lets a thread go on, with a signal to be delivered or 0. */
void visit_resume(const struct tracee *tracee, int signo);

/* The entry of a call that the filter stops. */
MUST_USE bool visit_entry(struct recorder *recorder, struct tracee *tracee, struct err *err);

/* The exit of a call that is followed. */
MUST_USE bool visit_exit(struct recorder *recorder, struct tracee *tracee, struct err *err);

/* The last stop of a thread before it ends; a call that it was in is finished. */
MUST_USE bool visit_ending(struct recorder *recorder, struct tracee *tracee, struct err *err);

/* A thread that will never be seen again leaves the way free for the next. */
MUST_USE bool visit_release(struct recorder *recorder, struct tracee *tracee, struct err *err);

/* Begins the call of a thread whose turn has come. */
MUST_USE bool visit_begin(struct recorder *recorder, struct tracee *tracee, struct err *err);

/* Called now and then: a serial call that does not come back (its buffer may be served by another
 * thread) must not hold up the others for ever. */
MUST_USE bool visit_look_at_held(struct recorder *recorder, struct err *err);

/* Kills all processes; from now on only their ends matter. */
void visit_kill_all(struct recorder *recorder);

#endif
