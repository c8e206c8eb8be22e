#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "plan_reader.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { TIMEOUT_MAX_S = 86400, SIGNAL_MAX = 64, EXIT_MAX = 255 };

void *plan_keep(struct plan *plan, void *block)
{
    mem_grow(&plan->blocks, &plan->blocks_capacity, plan->blocks_count + 1, sizeof *plan->blocks);
    plan->blocks[plan->blocks_count++] = block;
    return block;
}

void *plan_block(struct plan *plan, size_t count, size_t size)
{
    return plan_keep(plan, mem_new(count, size));
}

/* A number that a parameter put in the place of a word is a word again. */
static bool read_word(struct plan *plan, const struct part *part, const char **out, struct err *err)
{
    if (json_is_string(part->json)) {
        *out = json_string_value(part->json);
        return true;
    }
    if (json_is_integer(part->json)) {
        *out = plan_keep(plan, mem_format("%" PRId64, (int64_t)json_integer_value(part->json)));
        return true;
    }
    return part_fault(part, err, "is no word; allowed are strings and whole numbers");
}

bool plan_read_words(struct plan *plan, const struct part *part, const char *key,
                     const char *const **out, struct err *err)
{
    size_t count = 0;
    struct where where;
    const struct part list = part_member(part, key, &where);
    if (!part_count(part, key, &count, err))
        return false;
    if (count == 0)
        return true;
    const char **words = plan_block(plan, count + 1, sizeof *words);
    for (size_t i = 0; i < count; i++) {
        struct where item_where;
        const struct part item = part_item(&list, i, &item_where);
        if (!read_word(plan, &item, &words[i], err))
            return false;
    }
    *out = words;
    return true;
}

bool plan_read_path(struct plan *plan, const struct part *part, const char *key, const char **out,
                    struct err *err)
{
    const char *path = NULL;
    if (!part_text(part, key, &path, err))
        return false;
    if (path && *path == '\0')
        return part_fault_at(part, key, err, "is empty; allowed is a path");
    if (path && *path != '/')
        path = plan_keep(plan, mem_format("%s/%s", part->source->folder, path));
    *out = path ? path : *out;
    return true;
}

static bool check_regex(const struct part *part, const char *key, const char *text, struct err *err)
{
    regex_t regex;
    if (text && regcomp(&regex, text, REG_EXTENDED | REG_NOSUB) != 0)
        return part_fault_at(part, key, err, "is no extended regular expression");
    if (text)
        regfree(&regex);
    return true;
}

bool plan_read_text(struct plan *plan, const struct part *part, const char *key,
                    struct plan_text *out, struct err *err)
{
    static const char *const keys[] = {"equals", "contains", "matches", "any_order", NULL};
    struct where where;
    const struct part text = part_member(part, key, &where);
    if (!text.json)
        return true;
    out->is_set = true;
    if (json_is_string(text.json))
        return part_text(part, key, &out->equals, err);
    if (!part_keys(&text, keys, err) || !part_text(&text, "equals", &out->equals, err) ||
        !part_text(&text, "contains", &out->contains, err) ||
        !part_text(&text, "matches", &out->matches, err) ||
        !check_regex(&text, "matches", out->matches, err) ||
        !plan_read_words(plan, &text, "any_order", &out->any_order, err))
        return false;
    if (json_object_size(text.json) == 0) {
        return part_fault(&text, err,
                          "expects nothing; allowed are a string, equals, contains, matches and "
                          "any_order");
    }
    return true;
}

static bool read_environment(struct plan *plan, const struct part *part, struct plan_command *out,
                             struct err *err)
{
    struct where where;
    const char *name;
    json_t *value;
    size_t count = 0;
    const struct part list = part_member(part, "env", &where);
    if (!list.json)
        return true;
    if (!json_is_object(list.json))
        return part_fault(&list, err, "must be an object of names and values");
    const char **items = plan_block(plan, json_object_size(list.json) + 1, sizeof *items);
    json_object_foreach(list.json, name, value)
    {
        struct where item_where;
        const char *text = NULL;
        const struct part item = part_member(&list, name, &item_where);
        if (!read_word(plan, &item, &text, err))
            return false;
        if (*name == '\0' || strchr(name, '='))
            return part_fault(&item, err, "is no name of a variable");
        items[count++] = plan_keep(plan, mem_format("%s=%s", name, text));
    }
    out->environment = items;
    return true;
}

void plan_resolve(struct plan *plan, const struct part *part, const char *const *argv)
{
    const char **words = NULL;
    if (argv[0][0] == '/' || !strchr(argv[0], '/'))
        return;
    memcpy(&words, &argv, sizeof words); /* they are the plan's own */
    words[0] = plan_keep(plan, mem_format("%s/%s", part->source->folder, argv[0]));
}

bool plan_read_command(struct plan *plan, const struct part *part, struct plan_command *out,
                       struct err *err)
{
    const struct part_range range = {1, TIMEOUT_MAX_S};
    int64_t timeout_s = 60;
    if (!plan_read_words(plan, part, "argv", &out->argv, err) ||
        !read_environment(plan, part, out, err) || !part_text(part, "stdin", &out->input, err) ||
        !part_number(part, "timeout", range, &timeout_s, err))
        return false;
    if (out->argv && out->argv[0][0] == '\0')
        return part_fault_at(part, "argv", err, "names no program");
    if (out->argv)
        plan_resolve(plan, part, out->argv);
    out->timeout_ns = timeout_s * CLOCK_SECOND;
    return true;
}

bool plan_read_end(const struct part *part, struct plan_end *out, struct err *err)
{
    const struct part_range exits = {0, EXIT_MAX};
    const struct part_range signals = {1, SIGNAL_MAX};
    int64_t exit_code = 0;
    int64_t signo = 0;
    if (part_has(part, "exit") && part_has(part, "signal"))
        return part_fault_at(part, "signal", err, "only one of exit and signal can be expected");
    if (!part_number(part, "exit", exits, &exit_code, err) ||
        !part_number(part, "signal", signals, &signo, err))
        return false;
    out->is_set = part_has(part, "exit") || part_has(part, "signal");
    out->exit = (int)exit_code;
    out->signal = (int)signo;
    return true;
}
