#include "attempt.h"

#include <sys/wait.h>

#include "pids.h"
#include "tracer/base/own.h"

enum { NOT_STARTABLE = 126, NOT_FOUND = 127 };

static bool prepare(struct attempt *attempt, const struct state *state, enum harm harm,
                    struct err *err)
{
    const struct trace_promised promised = {state->acked_bytes, state->sent_messages};
    if (!promises_set(attempt->promises, &promised, attempt->was_mapped, err))
        return false;
    if (harm != HARM_NONE && !harm_do(attempt->dir_fd, harm, err))
        return false;
    guard_reset(attempt->launcher->guard);
    console_clear(attempt->launcher->console);
    pids_set(attempt->pids_fd, attempt->pid_base);
    return true;
}

static bool run_check(struct attempt *attempt, struct outcome *outcome, struct err *err)
{
    const struct command *check = attempt->options->check;
    if (!launch(attempt->launcher, check, &outcome->check, err))
        return false;
    outcome->has_check = true;
    if (outcome->check.end != LAUNCH_ENDED || !WIFEXITED(outcome->check.status))
        return true;
    const int code = WEXITSTATUS(outcome->check.status);
    if (code != NOT_STARTABLE && code != NOT_FOUND)
        return true;
    char *said OWN(own_mem) = console_text(attempt->launcher->console);
    return err_usage(err, "check could not be started (exit %d): %.80s: %.80s", code, check->text,
                     said);
}

/* What stands in the workspace. What the last command left running is killed before, as a second
 * crash would. */
static bool look(struct attempt *attempt, struct tree_hash *out, struct err *err)
{
    launch_kill_rest(attempt->launcher);
    return disk_hash(attempt->disk, guard_must_compare(attempt->launcher->guard), out, err);
}

/* The built-in oracle: a second recovery must find nothing to do. */
static bool run_again(struct attempt *attempt, struct tree_hash before, struct outcome *outcome,
                      struct err *err)
{
    struct tree_hash after;
    if (!launch(attempt->launcher, attempt->options->recover, &outcome->again, err) ||
        !look(attempt, &after, err))
        return false;
    outcome->has_again = true;
    outcome->is_changed = !tree_hash_equal(before, after);
    return true;
}

/* As often as is wanted, until one of them is not as it should be. A recovery that has changed
 * nothing has itself been such a second one: it would start from the same state again. */
static bool repeat(struct attempt *attempt, struct tree_hash state, struct outcome *outcome,
                   struct err *err)
{
    struct tree_hash recovered;
    uint32_t left = attempt->options->repeats > 0 ? attempt->options->repeats : 1;
    if (!look(attempt, &recovered, err))
        return false;
    if (left == 1 && tree_hash_equal(state, recovered))
        return true;
    for (; left > 0; left--) {
        if (!run_again(attempt, recovered, outcome, err))
            return false;
        const struct launched *again = &outcome->again;
        if (again->end != LAUNCH_ENDED || again->status != 0 || outcome->is_changed)
            break;
    }
    return true;
}

static bool run_commands(struct attempt *attempt, struct outcome *outcome, struct err *err)
{
    const struct job_options *options = attempt->options;
    const bool is_oracle = options->recover && !options->check;
    struct tree_hash state;
    if (is_oracle && !disk_hash(attempt->disk, attempt->was_mapped, &state, err))
        return false;
    if (options->recover) {
        if (!launch(attempt->launcher, options->recover, &outcome->recover, err))
            return false;
        outcome->has_recover = true;
    }
    if (judge_is_cancelled(outcome) || judge_is_decided(outcome, !options->check))
        return true;
    if (options->check)
        return run_check(attempt, outcome, err);
    return !is_oracle || repeat(attempt, state, outcome, err);
}

bool attempt_run(struct attempt *attempt, const struct state *state, enum harm harm,
                 struct outcome *out, struct err *err)
{
    struct outcome outcome = {0};
    if (!prepare(attempt, state, harm, err))
        return false;
    const bool is_done = run_commands(attempt, &outcome, err);
    launch_kill_rest(attempt->launcher);
    console_drain(attempt->launcher->console);
    if (!is_done)
        return false;
    *out = outcome;
    attempt->was_mapped = guard_must_compare(attempt->launcher->guard);
    return judge_is_cancelled(&outcome) ||
           disk_restore(attempt->disk, attempt->was_mapped, NULL, err);
}
