/* births.h - threads and processes that come, become another program, and go. */
#ifndef PTRACE_BIRTHS_H
#define PTRACE_BIRTHS_H

#include "recorder.h"

/* The worker's first process. */
void births_first(struct recorder *recorder, pid_t pid);

/* The maker's stop that tells of a new thread. */
MUST_USE bool births_told(struct recorder *recorder, struct tracee *maker, int event,
                          struct err *err);

/* A stop of a thread that nobody has told of yet. */
void births_seen(struct recorder *recorder, pid_t tid);

/* The stop after an exec. tid: of the process now; the thread that execed may have had another. */
MUST_USE bool births_exec(struct recorder *recorder, pid_t tid, struct err *err);

/* The wait status of a thread. */
void births_ended(struct recorder *recorder, struct tracee *tracee, int status);

#endif
