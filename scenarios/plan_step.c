#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "plan_reader.h"
#include "tracer/base/mem.h"

enum { REPEAT_MAX = 100000 };

static const char *const step_keys[] = {"name",   "argv",   "env",    "stdin",  "timeout",
                                        "exit",   "signal", "stdout", "stderr", "trace",
                                        "repeat", "damage", NULL};
static const char *const command_keys[] = {"argv",   "env",    "stdin",  "timeout", "exit",
                                           "signal", "stdout", "stderr", NULL};

static bool read_bytes(struct plan *plan, const struct part *part, struct plan_damage *out,
                       struct err *err)
{
    const char *text = NULL;
    if (!part_text(part, "bytes", &text, err))
        return false;
    out->data = text ? plan_keep(plan, hex_decode(text, &out->size)) : NULL;
    return out->data ||
           part_fault_at(part, "bytes", err, "allowed are pairs of hexadecimal digits");
}

/* {"path": P} and one of "flip": BIT, "cut": SIZE, "pad": SIZE, "put": PLACE with "bytes": HEX. */
static bool read_damage(struct plan *plan, const struct part *step, struct plan_damage *out,
                        struct err *err)
{
    static const char *const keys[] = {"path", "flip", "cut", "pad", "put", "bytes", NULL};
    static const char *const kinds[] = {"flip", "cut", "pad", "put"};
    const struct part_range range = {0, INT64_MAX};
    struct where where;
    const struct part damage = part_member(step, "damage", &where);
    if (!damage.json)
        return true;
    if (!part_keys(&damage, keys, err) || !part_needs(&damage, "path", err) ||
        !part_text(&damage, "path", &out->path, err))
        return false;
    for (int i = 0; i < 4; i++) {
        int64_t at = 0;
        if (!part_has(&damage, kinds[i]))
            continue;
        if (out->kind != DAMAGE_NONE)
            return part_fault_at(&damage, kinds[i], err, "one damage for each step, not two");
        if (!part_number(&damage, kinds[i], range, &at, err))
            return false;
        out->kind = (enum plan_damage_kind)(DAMAGE_FLIP + i);
        out->at = (uint64_t)at;
    }
    if (out->kind == DAMAGE_NONE)
        return part_fault(&damage, err, "does nothing; allowed are flip, cut, pad and put");
    if (part_has(&damage, "bytes") != (out->kind == DAMAGE_PUT))
        return part_fault(&damage, err, "\"put\" and \"bytes\" belong together");
    return out->kind != DAMAGE_PUT || read_bytes(plan, &damage, out, err);
}

static bool read_expectations(struct plan *plan, const struct part *part, struct plan_step *out,
                              struct err *err)
{
    return plan_read_command(plan, part, &out->command, err) &&
           plan_read_end(part, &out->end, err) &&
           plan_read_text(plan, part, "stdout", &out->out, err) &&
           plan_read_text(plan, part, "stderr", &out->error, err);
}

bool plan_read_check_command(struct plan *plan, const struct part *part, struct plan_step *out,
                             struct err *err)
{
    if (!part_keys(part, command_keys, err) || !part_needs(part, "argv", err) ||
        !read_expectations(plan, part, out, err))
        return false;
    out->repeat = 1;
    return out->end.is_set || out->out.is_set || out->error.is_set ||
           part_fault(part, err, "expects nothing; allowed are exit, signal, stdout and stderr");
}

static bool is_taken(const struct plan *plan, const char *name)
{
    static const char *const moments[] = {"worker", "start", "halt", "end", "last"};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
        if (strcmp(moments[i], name) == 0)
            return true;
    }
    return plan_step_find(plan, name) != NULL;
}

static bool check_step(const struct part *part, const struct plan_step *step, struct err *err)
{
    const bool has_damage = step->damage.kind != DAMAGE_NONE;
    if (has_damage == (step->command.argv != NULL))
        return part_fault(part, err, "needs either argv or damage");
    if (has_damage &&
        (step->end.is_set || step->out.is_set || step->error.is_set || step->want_trace))
        return part_fault(part, err, "damage has no exit, stdout, stderr or trace");
    return true;
}

static bool read_step(struct plan *plan, const struct part *part, struct plan_step *out,
                      struct err *err)
{
    const struct part_range range = {1, REPEAT_MAX};
    int64_t repeat = 1;
    if (!part_keys(part, step_keys, err) || !part_needs(part, "name", err) ||
        !part_text(part, "name", &out->name, err))
        return false;
    if (*out->name == '\0' || is_taken(plan, out->name)) {
        return part_fault_at(part, "name", err,
                             "\"%.60s\" is taken; each step has a name of its own, and not worker, "
                             "start, halt, end or last",
                             out->name);
    }
    if (!read_expectations(plan, part, out, err) || !read_damage(plan, part, &out->damage, err) ||
        !part_flag(part, "trace", &out->want_trace, err) ||
        !part_number(part, "repeat", range, &repeat, err))
        return false;
    out->repeat = (uint32_t)repeat;
    return check_step(part, out, err);
}

const struct plan_step *plan_step_find(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->steps_count; i++) {
        if (strcmp(plan->steps[i].name, name) == 0)
            return &plan->steps[i];
    }
    return NULL;
}

bool plan_read_steps(struct plan *plan, const struct part *scenario, struct err *err)
{
    size_t count = 0;
    struct where where;
    const struct part list = part_member(scenario, "steps", &where);
    if (!part_count(scenario, "steps", &count, err))
        return false;
    plan->steps = plan_block(plan, count + 1, sizeof *plan->steps);
    for (size_t i = 0; i < count; i++) {
        struct where item_where;
        const struct part item = part_item(&list, i, &item_where);
        if (!read_step(plan, &item, &plan->steps[i], err))
            return false;
        plan->steps_count++;
    }
    return true;
}
