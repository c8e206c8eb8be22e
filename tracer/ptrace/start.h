/* start.h - the worker's first process, up to the moment before its program runs. */
#ifndef PTRACE_START_H
#define PTRACE_START_H

#include <sys/types.h>

#include "record.h"

struct start {
    pid_t pid;
    int report_fd;            /* carries a struct err when exec fails; nothing when it succeeds */
    int stdout_fd, stderr_fd; /* ours: the same open file descriptions as its 1 and 2 */
};

struct start_options {
    const struct record_options *record;
    int terminal_fd; /* becomes 0 to 2 and its controlling terminal; -1: none */
};

/* Forks a child that has its namespaces, mount, directory and descriptors, is traced, and has been
 * told to go on: to the filter, and to exec. */
MUST_USE bool start_worker(const struct start_options *options, struct start *out, struct err *err);

/* Why the program could not be run, after the child has ended without running it. */
bool start_failed(const struct start *start, struct err *err);

void start_fini(struct start *start);

#endif
