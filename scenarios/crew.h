/* crew.h - runs the cases of a suite, several at a time, each in a process of its own. */
#ifndef SCENARIOS_CREW_H
#define SCENARIOS_CREW_H

#include <signal.h>
#include <stdint.h>

#include "case_result.h"
#include "suite.h"
#include "tracer/runner/janitor.h"

struct crew_options {
    const struct suite *suite;
    struct janitor *janitor;
    uint32_t jobs;
    bool want_isolation;
    bool want_children;
    const volatile sig_atomic_t *interrupted;
    /* A new folder for what is kept of a case, or -1; closed by the crew. */
    int (*keep)(void *context, const struct suite_case *suite_case);
    /* In the caller's process, when a case has ended. */
    void (*done)(void *context, const struct case_result *result);
    void *context;
};

/* Fills one result for each case of the suite, in its order. Returns false only when brink itself
 * could not go on; an interrupt leaves cases that were not run. */
MUST_USE bool crew_run(const struct crew_options *options, struct case_result *results,
                       struct err *err);

#endif
