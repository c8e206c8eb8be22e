/* pool.h - all slots of one job: started, listened to, ended. */
#ifndef RUNNER_POOL_H
#define RUNNER_POOL_H

#include "slot.h"

struct pool_outcome {
    struct verdict *verdicts; /* the caller's; indexed by state */
    size_t done;              /* how many were filled */
    char *note;               /* the caller frees it */
};

/* Fills work's fields that concern the surroundings, runs it with at most options->jobs slots, and
 * leaves nothing behind. */
MUST_USE bool pool_run(struct work *work, struct pool_outcome *outcome, struct err *err);

#endif
