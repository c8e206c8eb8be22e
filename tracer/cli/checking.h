/* checking.h - the states of a run that have no verdict yet are checked, and each verdict is stored
 * as it comes. */
#ifndef CLI_CHECKING_H
#define CLI_CHECKING_H

#include "progress.h"
#include "tracer/runner/job.h"

struct checking {
    struct run *run; /* verdicts and complete are filled */
    struct store *store;
    struct progress *progress;
    bool is_quiet;
    bool is_store_at_fault; /* out: why it failed */
    int64_t flushed_ns;     /* when verdicts were last made durable */
    struct err store_err;   /* the first failure to store a verdict */
};

/* options: done and context are set here. Notes for the user are added to the run. */
MUST_USE bool checking_run(struct checking *checking, const struct job_options *options,
                           struct err *err);

#endif
