#include "scene_run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "child.h"
#include "damage.h"
#include "explored.h"
#include "recorded.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* Remembers the files that later checks compare with this moment, then does its checks. */
static bool reach_moment(struct scene *scene, const char *moment, struct err *err)
{
    const struct plan *plan = scene->plan;
    for (size_t i = 0; i < plan->checks_count; i++) {
        const struct plan_check *check = &plan->checks[i];
        if (check->kind == CHECK_FILE && check->file.unchanged &&
            strcmp(check->file.unchanged, moment) == 0)
            remembered_take(scene->remembered, scene->dir_fd, check->file.path, moment);
    }
    for (size_t i = 0; i < plan->checks_count; i++) {
        if (strcmp(plan->checks[i].at, moment) == 0 && !check_do(scene, &plan->checks[i], err))
            return err_while(err, "check %s", plan->checks[i].name);
    }
    return true;
}

/* Nothing of what has ended may live on, but the services. */
static void end_strays(const struct scene *scene, const struct scene_options *options)
{
    const size_t count = scene->plan->services_count;
    pid_t *kept OWN(own_mem) = mem_new(count + 1, sizeof *kept);
    for (size_t i = 0; i < count; i++)
        kept[i] = options->services[i].pid;
    child_kill_rest(kept, count);
}

/* What nothing else was expected of: to die of its barrier, or to exit with 0. */
static struct plan_end end_of_worker(const struct plan *plan)
{
    struct plan_end end = plan->worker.end;
    if (end.is_set || !plan->crash)
        return end;
    const struct barrier *barrier = &plan->crash->barrier;
    end.signal = barrier->does_exit ? 0 : SIGKILL;
    end.exit = barrier->does_exit ? barrier->exit_status : 0;
    return end;
}

static void check_worker_end(struct scene *scene)
{
    const struct plan_worker *worker = &scene->plan->worker;
    const struct plan_end end = end_of_worker(scene->plan);
    char *expected OWN(own_mem) = ended_words_of(&end);
    scene_add_child(scene, "worker", &worker->command, &scene->worker, expected);
    if (worker->count == 1 || scene->worker.has_timed_out || scene->plan->crash) {
        ended_check(&scene->worker, "worker", &end, scene->assertions);
        return;
    }
    char *all OWN(own_mem) = mem_format("%u x %s", worker->count, expected);
    char *observed OWN(own_mem) = recorded_ends(&scene->worker);
    assertions_compare(scene->assertions, &(struct assertion){"worker", "end", all, observed});
}

/* The order that was wished for is one that was really there. */
static bool check_lock_order(struct scene *scene, const uint32_t *order, struct err *err)
{
    if (!recorded_lock_order(&scene->worker, scene->plan->worker.also, &scene->lock_order, err))
        return false;
    char *expected = mem_string("");
    for (uint32_t i = 0; i < scene->plan->worker.count; i++) {
        char *longer = mem_format("%s%s%u", expected, i > 0 ? " " : "", order[i] + 1);
        free(expected);
        expected = longer;
    }
    assertions_compare(scene->assertions,
                       &(struct assertion){"worker", "lock order", expected, scene->lock_order});
    free(expected);
    return true;
}

/* The death of the worker must not have touched what is outside of it. */
static void check_services(struct scene *scene, const struct scene_options *options)
{
    for (size_t i = 0; i < scene->plan->services_count; i++) {
        const struct service *service = &options->services[i];
        char *name OWN(own_mem) = mem_format("service %s", scene->plan->services[i].name);
        const bool is_alive = service_is_alive(service);
        const struct assertion assertion = {name, "the same process lives", "alive",
                                            is_alive ? "alive" : "gone"};
        assertions_compare(scene->assertions, &assertion);
    }
}

static bool wants_trace_of_worker(const struct plan *plan)
{
    for (size_t i = 0; i < plan->checks_count; i++) {
        if (plan->checks[i].kind == CHECK_TRACE && strcmp(plan->checks[i].trace.of, "worker") == 0)
            return true;
    }
    return false;
}

static bool run_worker(struct scene *scene, const struct scene_options *options, struct err *err)
{
    const struct plan_worker *worker = &scene->plan->worker;
    const struct recorded_options recorded = {
        .child = {&worker->command, "worker", scene->dir, scene->dir},
        .crash = scene->plan->crash,
        .count = worker->count,
        .order = options->order,
        .also = worker->also,
        .want_check = wants_trace_of_worker(scene->plan),
    };
    if (!worker->command.argv)
        return true;
    if (!recorded_run(&recorded, &scene->worker, err))
        return false;
    end_strays(scene, options);
    check_worker_end(scene);
    if (options->order && !check_lock_order(scene, options->order, err))
        return false;
    ended_check_text(&scene->worker.out, "worker", "stdout", &worker->out, scene->assertions);
    ended_check_text(&scene->worker.error, "worker", "stderr", &worker->error, scene->assertions);
    return true;
}

/* One time of a step; name: with its number when it is repeated. */
static bool run_once(struct scene *scene, const struct plan_step *step, const char *name,
                     struct ended *out, struct err *err)
{
    const struct recorded_options recorded = {
        .child = {&step->command, name, scene->dir, scene->dir}, .count = 1, .want_check = true};
    if (step->want_trace ? !recorded_run(&recorded, out, err)
                         : !child_run(&recorded.child, out, err))
        return false;
    char *expected OWN(own_mem) = ended_words_of(&step->end);
    scene_add_child(scene, name, &step->command, out, expected);
    ended_check(out, name, &step->end, scene->assertions);
    ended_check_text(&out->out, name, "stdout", &step->out, scene->assertions);
    ended_check_text(&out->error, name, "stderr", &step->error, scene->assertions);
    return true;
}

static bool run_step(struct scene *scene, const struct scene_options *options, size_t at,
                     struct err *err)
{
    const struct plan_step *step = &scene->plan->steps[at];
    if (step->damage.kind != DAMAGE_NONE)
        return damage_do(&step->damage, scene->dir_fd, err) || err_while(err, "%s", step->name);
    for (uint32_t i = 1; i <= step->repeat; i++) {
        char *name OWN(own_mem) =
            step->repeat > 1 ? mem_format("%s #%u", step->name, i) : mem_string(step->name);
        if (!run_once(scene, step, name, &scene->steps[at], err))
            return false;
        end_strays(scene, options);
    }
    return true;
}

bool scene_run(struct scene *scene, const struct scene_options *options, struct err *err)
{
    const struct plan *plan = scene->plan;
    if (plan->explore.is_set)
        return explored_run(scene, options->explored, err);
    if (!reach_moment(scene, "start", err) || !run_worker(scene, options, err) ||
        !reach_moment(scene, "halt", err))
        return false;
    if (plan->worker.command.argv)
        check_services(scene, options);
    for (size_t i = 0; i < plan->steps_count; i++) {
        if (!run_step(scene, options, i, err) || !reach_moment(scene, plan->steps[i].name, err))
            return false;
    }
    if (!reach_moment(scene, "end", err) || (options->is_last && !reach_moment(scene, "last", err)))
        return false;
    if (plan->steps_count > 0)
        check_services(scene, options);
    return true;
}
