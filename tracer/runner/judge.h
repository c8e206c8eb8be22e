/* judge.h - what the ends of recovery and check mean. Pure: no process is needed to test it. */
#ifndef RUNNER_JUDGE_H
#define RUNNER_JUDGE_H

#include "launch.h"
#include "tracer/trace/verdict.h"

/* What happened in a state. Those that were not run have has_... false. */
struct outcome {
    bool has_recover, has_again, has_check;
    struct launched recover;
    struct launched again; /* the second recovery, when there is no check */
    struct launched check;
    bool is_changed; /* the second recovery changed the workspace */
};

/* Whether the state is decided already, so that neither check nor second recovery is needed.
 * has_oracle: there is no check, so the recovery's exit status counts. */
bool judge_is_decided(const struct outcome *outcome, bool has_oracle);

/* Whether one of the commands was cancelled: then there is nothing to judge. */
bool judge_is_cancelled(const struct outcome *outcome);

/* *why is one line, NULL when it held; the caller frees it. */
enum verdict_kind judge(const struct outcome *outcome, char **why);

#endif
