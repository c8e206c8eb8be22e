#include "plan.h"

#include <stdlib.h>

#include "parameters.h"
#include "plan_reader.h"
#include "tracer/base/mem.h"

static const char *const scenario_keys[] = {
    "$schema", "name",   "about",   "worker", "workspace", "services", "barriers", "crash",
    "steps",   "checks", "explore", "each",   "matrix",    "expect",   "include",  NULL};

void plan_fini(struct plan *plan)
{
    for (size_t i = 0; i < plan->barriers_count; i++)
        barrier_fini(&plan->barriers[i].barrier);
    if (plan->worker.also)
        barrier_fini(plan->worker.also);
    for (size_t i = 0; i < plan->blocks_count; i++)
        free(plan->blocks[i]);
    free(plan->blocks);
    json_decref(plan->json);
    *plan = (struct plan){0};
}

static bool has_text(const struct plan_text *text)
{
    return text->is_set;
}

bool plan_has_assertion(const struct plan *plan)
{
    const struct plan_worker *worker = &plan->worker;
    if (plan->explore.is_set || plan->checks_count > 0 || worker->end.is_set ||
        has_text(&worker->out) || has_text(&worker->error))
        return true;
    for (size_t i = 0; i < plan->steps_count; i++) {
        const struct plan_step *step = &plan->steps[i];
        if (step->end.is_set || has_text(&step->out) || has_text(&step->error))
            return true;
    }
    return false;
}

static bool read_workspace(struct plan *plan, const struct part *scenario, struct err *err)
{
    static const char *const keys[] = {"init", "setup", NULL};
    struct where where;
    const struct part workspace = part_member(scenario, "workspace", &where);
    if (!workspace.json)
        return true;
    return part_keys(&workspace, keys, err) &&
           plan_read_path(plan, &workspace, "init", &plan->init, err) &&
           part_text(&workspace, "setup", &plan->setup, err);
}

static bool read_expect(struct plan *plan, const struct part *scenario, struct err *err)
{
    static const char *const keys[] = {"violated", NULL};
    struct where where;
    const struct part expect = part_member(scenario, "expect", &where);
    if (!expect.json)
        return true;
    return part_keys(&expect, keys, err) && part_needs(&expect, "violated", err) &&
           part_text(&expect, "violated", &plan->violated, err);
}

static bool read_all(struct plan *plan, const struct part *scenario, struct err *err)
{
    const char *about = NULL;
    if (!part_keys(scenario, scenario_keys, err) || !part_needs(scenario, "name", err) ||
        !part_text(scenario, "name", &plan->name, err) ||
        !part_text(scenario, "about", &about, err) || !read_workspace(plan, scenario, err) ||
        !plan_read_worker(plan, scenario, err) || !plan_read_services(plan, scenario, err) ||
        !plan_read_barriers(plan, scenario, err) || !plan_read_steps(plan, scenario, err) ||
        !plan_read_checks(plan, scenario, err) || !plan_read_explore(plan, scenario, err) ||
        !read_expect(plan, scenario, err))
        return false;
    if (!plan->worker.command.argv && plan->steps_count == 0)
        return part_fault(scenario, err, "does nothing; give a worker or steps");
    if (!plan_has_assertion(plan)) {
        return part_fault(scenario, err,
                          "expects nothing; give checks, or exit, stdout or stderr of the worker "
                          "or a step");
    }
    return true;
}

bool plan_read(const struct source *source, const json_t *values, struct plan *out, struct err *err)
{
    struct plan plan = {0};
    const struct part raw = {.source = source, .json = source->root};
    if (!parameters_fill(&raw, values, &plan.json, err))
        return false;
    const struct part scenario = {.source = source, .json = plan.json};
    if (!read_all(&plan, &scenario, err)) {
        plan_fini(&plan);
        return false;
    }
    *out = plan;
    return true;
}
