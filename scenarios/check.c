#include "check.h"

#include <stdlib.h>

#include "child.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

void check_impossible(struct scene *scene, const struct plan_check *check, const char *expected,
                      const char *why)
{
    assertions_add(scene->assertions, &(struct assertion){check->name, NULL, expected, why}, false);
}

static bool check_command(struct scene *scene, const struct plan_check *check, struct err *err)
{
    const struct plan_step *step = check->command;
    const struct child_options options = {&step->command, check->name, scene->dir, scene->dir};
    struct ended ended = {0};
    if (!child_run(&options, &ended, err))
        return err_while(err, "check");
    char *expected OWN(own_mem) = ended_words_of(&step->end);
    scene_add_child(scene, check->name, &step->command, &ended, expected);
    /* Without a wish for its end a check that fails still must not pass for one that speaks. */
    if (step->end.is_set || ended.has_timed_out || ended.status != 0)
        ended_check(&ended, check->name, &step->end, scene->assertions);
    ended_check_text(&ended.out, check->name, "stdout", &step->out, scene->assertions);
    ended_check_text(&ended.error, check->name, "stderr", &step->error, scene->assertions);
    ended_fini(&ended);
    return true;
}

static void check_process(struct scene *scene, const struct plan_check *check)
{
    const struct plan_check_process *process = &check->process;
    const struct ended *ended = scene_find(scene, process->of);
    const struct ended *other = process->differs ? scene_find(scene, process->differs) : ended;
    const struct plan_end end = {true, process->signal, process->exit};
    if (!ended || !other) {
        check_impossible(scene, check, "it has run", "it has not run yet");
        return;
    }
    if (process->has_end)
        ended_check(ended, check->name, &end, scene->assertions);
    if (process->differs) {
        char *first OWN(own_mem) = mem_format("another pid than %d", (int)other->pid);
        char *second OWN(own_mem) = mem_format("pid %d", (int)ended->pid);
        const struct assertion assertion = {check->name, "pid", first, second};
        assertions_add(scene->assertions, &assertion, ended->pid != other->pid);
    }
}

bool check_do(struct scene *scene, const struct plan_check *check, struct err *err)
{
    switch (check->kind) {
    case CHECK_COMMAND:
        return check_command(scene, check, err);
    case CHECK_TRACE:
        return check_trace(scene, check, err);
    case CHECK_FILE:
        check_file(scene, check);
        return true;
    case CHECK_PROCESS:
        check_process(scene, check);
        return true;
    case CHECK_SQL:
        check_sql(scene, check);
        return true;
    case CHECK_JSONL:
        check_jsonl(scene, check);
        return true;
    case CHECK_KIND_COUNT:
        break;
    }
    UNREACHABLE("all kinds of checks are above");
}
