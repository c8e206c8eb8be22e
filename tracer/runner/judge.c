#include "judge.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "tracer/base/mem.h"

/* What one command's end says by itself; VERDICT_HELD: nothing against the state. `counts`: whether
 * its exit status is looked at. */
static enum verdict_kind judge_end(const struct launched *launched, const char *who, bool counts,
                                   char **why)
{
    if (launched->end == LAUNCH_TIMED_OUT) {
        *why = mem_format("%s ran into its time limit", who);
        return VERDICT_HUNG;
    }
    if (WIFSIGNALED(launched->status)) {
        const int number = WTERMSIG(launched->status);
        const char *name = sigabbrev_np(number);
        *why = name ? mem_format("%s was killed by signal %d (SIG%s)", who, number, name)
                    : mem_format("%s was killed by signal %d", who, number);
        return VERDICT_CRASHED;
    }
    if (counts && launched->status != 0) {
        *why = mem_format("%s exited with %d", who, WEXITSTATUS(launched->status));
        return VERDICT_VIOLATED;
    }
    return VERDICT_HELD;
}

bool judge_is_decided(const struct outcome *outcome, bool has_oracle)
{
    const struct launched *recover = &outcome->recover;
    return outcome->has_recover && (recover->end != LAUNCH_ENDED || WIFSIGNALED(recover->status) ||
                                    (has_oracle && recover->status != 0));
}

bool judge_is_cancelled(const struct outcome *outcome)
{
    return outcome->recover.end == LAUNCH_CANCELLED || outcome->again.end == LAUNCH_CANCELLED ||
           outcome->check.end == LAUNCH_CANCELLED;
}

enum verdict_kind judge(const struct outcome *outcome, char **why)
{
    enum verdict_kind kind = VERDICT_HELD;
    *why = NULL;
    if (outcome->has_recover)
        kind = judge_end(&outcome->recover, "recovery", !outcome->has_check, why);
    if (kind == VERDICT_HELD && outcome->has_check)
        kind = judge_end(&outcome->check, "check", true, why);
    if (kind == VERDICT_HELD && outcome->has_again)
        kind = judge_end(&outcome->again, "second recovery", true, why);
    if (kind == VERDICT_HELD && outcome->has_again && outcome->is_changed) {
        *why = mem_string("second recovery changed the workspace");
        kind = VERDICT_VIOLATED;
    }
    return kind;
}
