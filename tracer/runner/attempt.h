/* attempt.h - one run of the commands on one state, in a slot whose directory stands at it. */
#ifndef RUNNER_ATTEMPT_H
#define RUNNER_ATTEMPT_H

#include "harm.h"
#include "job.h"
#include "judge.h"
#include "promises.h"
#include "tracer/states/disk.h"

struct attempt {
    const struct job_options *options;
    struct launcher *launcher;
    struct disk *disk;
    struct promises *promises;
    int dir_fd; /* the workspace */
    int pids_fd;
    uint32_t pid_base;
    bool was_mapped; /* the last commands may have changed files without a trace in their times */
};

/* Harms the directory if told so, runs recovery and check (or two recoveries), kills what is left
 * and puts the directory back; not when it was cancelled: the slot has to end. */
MUST_USE bool attempt_run(struct attempt *attempt, const struct state *state, enum harm harm,
                          struct outcome *out, struct err *err);

#endif
