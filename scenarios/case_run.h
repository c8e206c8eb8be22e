/* case_run.h - one case with all its runs, in its own process.
 *
 * A run: a fresh workspace, services, the worker recorded to its barrier or end, the steps, and the
 * checks at the moments that they name. A violated run does not end the case. */
#ifndef SCENARIOS_CASE_RUN_H
#define SCENARIOS_CASE_RUN_H

#include <signal.h>

#include "suite.h"

struct case_options {
    const struct suite_case *suite_case;
    const char *folder;  /* empty and absolute: everything of the case is made in it */
    bool want_isolation; /* namespaces of its own */
    bool want_children;  /* keep what every process was and said, not only those of bad runs */
    int keep_fd;         /* folder for the workspace of the first bad run; -1: none */
    const volatile sig_atomic_t *interrupted;
};

/* Runs it and writes the result to report_fd, as JSON that case_result.h reads. For a forked child
 * of `parent`; does not return. */
NORETURN void case_run(const struct case_options *options, pid_t parent, int report_fd);

#endif
