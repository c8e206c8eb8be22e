/* second.h - the second crash: the recovery is a worker too (--depth 2).
 *
 * On each crash state of the worker that held, the recovery is recorded; the crash states of these
 * recordings are worked out as the worker's were, and recovery and check run on them. All of it is
 * a run of its own, in the folder depth2 of the output folder: its trace is that of the worker with
 * the recoveries added. */
#ifndef CLI_SECOND_H
#define CLI_SECOND_H

#include "out.h"
#include "progress.h"
#include "settings.h"
#include "tracer/runner/job.h"

struct second {
    int fd;     /* the folder; -1: there is no second depth */
    char *name; /* as a user would give it to --run */
    struct store *store;
    struct trace trace;
    struct run run;
};

struct second_options {
    const struct settings *settings;
    struct run *first;   /* complete */
    struct store *store; /* of the first */
    const struct out *out;
    const char *out_name;
    const char *const *exclude;
    struct progress *progress;
    bool is_resumed;
};

/* *second must be {.fd = -1}; job as for the first run. */
MUST_USE bool second_explore(struct second *second, const struct second_options *options,
                             const struct job_options *job, struct err *err);

/* Counts and findings; the latter are added to those of the first run, which knows of the second
 * from now on. Nothing without a second depth. */
MUST_USE bool second_conclude(struct second *second, struct run *first, struct err *err);

void second_fini(struct second *second);

#endif
