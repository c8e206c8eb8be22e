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

/* The built-in oracle: a second recovery must find nothing to do. What the first one left running
 * is killed before, as a second crash would. */
static bool run_again(struct attempt *attempt, struct outcome *outcome, struct err *err)
{
    const struct guard *guard = attempt->launcher->guard;
    struct tree_hash before;
    struct tree_hash after;
    launch_kill_rest(attempt->launcher);
    if (!disk_hash(attempt->disk, guard_must_compare(guard), &before, err) ||
        !launch(attempt->launcher, attempt->options->recover, &outcome->again, err))
        return false;
    outcome->has_again = true;
    launch_kill_rest(attempt->launcher);
    if (!disk_hash(attempt->disk, guard_must_compare(guard), &after, err))
        return false;
    outcome->is_changed = !tree_hash_equal(before, after);
    return true;
}

/* As often as is wanted, until one of them is not as it should be. */
static bool repeat(struct attempt *attempt, struct outcome *outcome, struct err *err)
{
    uint32_t left = attempt->options->repeats > 0 ? attempt->options->repeats : 1;
    for (; left > 0; left--) {
        if (!run_again(attempt, outcome, err))
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
    if (options->recover) {
        if (!launch(attempt->launcher, options->recover, &outcome->recover, err))
            return false;
        outcome->has_recover = true;
    }
    if (judge_is_cancelled(outcome) || judge_is_decided(outcome, !options->check))
        return true;
    if (options->check)
        return run_check(attempt, outcome, err);
    return !options->recover || repeat(attempt, outcome, err);
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
