#include <stdlib.h>
#include <string.h>

#include "plan_reader.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { DEPTH_MAX = 2, VERIFY_MAX = 1000000, TIMEOUT_MAX_S = 86400 };

/* Names of models, which brink explore knows; as it wants them. */
static bool read_models(struct plan *plan, const struct part *explore, struct err *err)
{
    const char *const *words = NULL;
    char *list = NULL;
    if (!plan_read_words(plan, explore, "model", &words, err))
        return false;
    for (size_t i = 0; words && words[i]; i++) {
        if (*words[i] == '\0' || strchr(words[i], ',')) {
            free(list);
            return part_fault_at(explore, "model", err, "allowed is a list of names of models");
        }
        char *longer = mem_format("%s%s%s", list ? list : "", list ? "," : "", words[i]);
        free(list);
        list = longer;
    }
    plan->explore.models = plan_keep(plan, list ? list : mem_string("kill,torn"));
    return true;
}

static bool read_program(struct plan *plan, const struct part *explore, const char *key,
                         const char *const **out, struct err *err)
{
    if (!plan_read_words(plan, explore, key, out, err))
        return false;
    if (*out && (*out)[0][0] == '\0')
        return part_fault_at(explore, key, err, "names no program");
    if (*out)
        plan_resolve(plan, explore, *out);
    return true;
}

/* {"models.torn.tried": 98} */
static bool read_counts(struct plan *plan, const struct part *explore, struct err *err)
{
    struct where where;
    const char *place;
    json_t *value;
    const struct part counts = part_member(explore, "counts", &where);
    if (!counts.json)
        return true;
    if (!json_is_object(counts.json) || json_object_size(counts.json) == 0)
        return part_fault(&counts, err, "must be an object of places in summary.json and numbers");
    json_object_foreach(counts.json, place, value)
    {
        struct where item_where;
        const struct part item = part_member(&counts, place, &item_where);
        if (!json_is_integer(value))
            return part_fault(&item, err, "must be a whole number");
    }
    plan->explore.counts = counts.json;
    return true;
}

/* What an exploration has no place for: it runs the worker itself, and nothing beside it. */
static bool check_rest(const struct plan *plan, const struct part *scenario, struct err *err)
{
    static const char *const others[] = {"crash", "steps", "checks", "services", NULL};
    const struct plan_worker *worker = &plan->worker;
    for (size_t i = 0; others[i]; i++) {
        if (part_has(scenario, others[i]) &&
            !json_is_null(json_object_get(scenario->json, others[i])))
            return part_fault_at(scenario, others[i], err, "does not go together with explore");
    }
    if (!worker->command.argv)
        return part_fault_at(scenario, "explore", err, "needs a worker");
    if (worker->count > 1 || worker->end.is_set || worker->out.is_set || worker->error.is_set) {
        return part_fault_at(scenario, "worker", err,
                             "with explore it has argv, env, stdin and timeout only");
    }
    return true;
}

static bool read_numbers(const struct part *explore, struct plan_explore *out, struct err *err)
{
    const struct part_range any = {0, INT64_MAX};
    const struct part_range depths = {1, DEPTH_MAX};
    const struct part_range verifies = {0, VERIFY_MAX};
    const struct part_range timeouts = {1, TIMEOUT_MAX_S};
    int64_t timeout_s = 600;
    if (!part_number(explore, "depth", depths, &out->depth, err) ||
        !part_number(explore, "budget", any, &out->budget, err) ||
        !part_number(explore, "verify", verifies, &out->verify, err) ||
        !part_number(explore, "seed", any, &out->seed, err) ||
        !part_number(explore, "timeout", timeouts, &timeout_s, err))
        return false;
    out->timeout_ns = timeout_s * CLOCK_SECOND;
    return true;
}

bool plan_read_explore(struct plan *plan, const struct part *scenario, struct err *err)
{
    static const char *const keys[] = {"model",   "depth",   "budget", "verify", "seed",
                                       "timeout", "recover", "check",  "counts", NULL};
    struct plan_explore *out = &plan->explore;
    struct where where;
    const struct part explore = part_member(scenario, "explore", &where);
    if (!explore.json)
        return true;
    *out = (struct plan_explore){.is_set = true, .depth = 1, .verify = 10, .seed = 1};
    return part_keys(&explore, keys, err) && part_needs(&explore, "check", err) &&
           read_models(plan, &explore, err) && read_numbers(&explore, out, err) &&
           read_program(plan, &explore, "recover", &out->recover, err) &&
           read_program(plan, &explore, "check", &out->check, err) &&
           read_counts(plan, &explore, err) && check_rest(plan, scenario, err);
}
