/* program.h - the programs that processes of the worker run. */
#ifndef PTRACE_PROGRAM_H
#define PTRACE_PROGRAM_H

#include "recorder.h"

/* After an exec: writes the op, and tells the user what recording changes for this program. */
void program_started(struct recorder *recorder, const struct tracee *tracee);

/* The name of what a process runs, for people. Caller frees. */
char *program_name(pid_t pid);

#endif
