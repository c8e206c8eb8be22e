#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan_reader.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* A barrier in a scenario says the same as one on the command line, so it becomes the words that
 * are given there, and one reader understands both. */

bool plan_check_words(const struct part *part, const char *words, struct err *err)
{
    struct barrier barrier;
    struct err why = {0};
    if (!barrier_parse(words, &barrier, &why))
        return part_fault(part, err, "%.300s", why.text);
    barrier_fini(&barrier);
    return true;
}

static const char *const barrier_keys[] = {"call",  "path",  "peer", "contains", "covers", "nth",
                                           "where", "bytes", "sync", "do",       NULL};

/* 'KEY="VALUE"', the value quoted so that it may hold anything but both kinds of quotes. */
static bool quote(const struct part *part, const char *key, const char *value, char **out,
                  struct err *err)
{
    const char mark = strchr(value, '\'') ? '"' : '\'';
    if (strchr(value, mark))
        return part_fault_at(part, key, err, "holds both ' and \"; allowed is one of them");
    *out = mem_format(" %s=%c%s%c", key, mark, value, mark);
    return true;
}

static bool word_of(const struct part *part, const char *key, char **out, struct err *err)
{
    const json_t *value = json_object_get(part->json, key);
    if (!value) {
        *out = mem_string("");
    } else if (strcmp(key, "sync") == 0) {
        bool is_on = false;
        if (!part_flag(part, key, &is_on, err))
            return false;
        *out = mem_string(is_on ? " sync" : "");
    } else if (json_is_integer(value)) {
        *out = mem_format(" %s=%" PRId64, key, (int64_t)json_integer_value(value));
    } else if (json_is_string(value)) {
        return quote(part, key, json_string_value(value), out, err);
    } else {
        return part_fault_at(part, key, err, "must be a string or a whole number");
    }
    return true;
}

static bool read_barrier(struct plan *plan, const struct part *part, struct plan_barrier *out,
                         struct err *err)
{
    const char *call = NULL;
    if (!part_keys(part, barrier_keys, err) || !part_needs(part, "call", err) ||
        !part_text(part, "call", &call, err))
        return false;
    char *words = mem_string(call);
    for (size_t i = 1; barrier_keys[i]; i++) {
        char *word OWN(own_mem) = NULL;
        if (!word_of(part, barrier_keys[i], &word, err)) {
            free(words);
            return false;
        }
        char *longer = mem_format("%s%s", words, word);
        free(words);
        words = longer;
    }
    struct err why = {0};
    out->words = plan_keep(plan, words);
    return barrier_parse(words, &out->barrier, &why) || part_fault(part, err, "%.300s", why.text);
}

static bool find_crash(struct plan *plan, const struct part *scenario, struct err *err)
{
    const char *name = NULL;
    if (json_is_null(json_object_get(scenario->json, "crash")))
        return true;
    if (!part_text(scenario, "crash", &name, err))
        return false;
    if (name && !plan->worker.command.argv)
        return part_fault_at(scenario, "crash", err, "needs a worker");
    for (size_t i = 0; name && i < plan->barriers_count; i++) {
        if (strcmp(plan->barriers[i].name, name) == 0)
            plan->crash = &plan->barriers[i];
    }
    return !name || plan->crash ||
           part_fault_at(scenario, "crash", err,
                         "there is no barrier \"%.60s\"; allowed are the names in \"barriers\"",
                         name);
}

bool plan_read_barriers(struct plan *plan, const struct part *scenario, struct err *err)
{
    struct where where;
    const char *name;
    json_t *value;
    const struct part list = part_member(scenario, "barriers", &where);
    if (list.json && !json_is_object(list.json))
        return part_fault(&list, err, "must be an object of names and barriers");
    plan->barriers = plan_block(plan, json_object_size(list.json) + 1, sizeof *plan->barriers);
    json_object_foreach(list.json, name, value)
    {
        struct where item_where;
        const struct part item = part_member(&list, name, &item_where);
        struct plan_barrier *barrier = &plan->barriers[plan->barriers_count];
        barrier->name = name;
        if (!read_barrier(plan, &item, barrier, err))
            return false;
        plan->barriers_count++;
    }
    return find_crash(plan, scenario, err);
}
