#include "plan_check.h"

#include <stdlib.h>
#include <string.h>

#include "hex.h"
#include "plan_reader.h"
#include "tracer/base/own.h"

/* Readers of the kinds of checks, each for the part that stands under the kind's key. */

static bool is_moment(const struct plan *plan, const char *name)
{
    return strcmp(name, "start") == 0 || strcmp(name, "halt") == 0 || strcmp(name, "end") == 0 ||
           strcmp(name, "last") == 0 || plan_step_find(plan, name) != NULL;
}

static bool check_moment(const struct plan *plan, const struct part *part, const char *key,
                         const char *name, struct err *err)
{
    return !name || is_moment(plan, name) ||
           part_fault_at(part, key, err,
                         "there is no moment \"%.60s\"; allowed are start, halt, end, last and the "
                         "names of steps",
                         name);
}

/* Whose end, stream or trace: the worker's or a step's. */
static bool read_who(const struct plan *plan, const struct part *part, const char *key,
                     const char **out, struct err *err)
{
    if (!part_text(part, key, out, err))
        return false;
    const char *name = *out;
    const bool is_there =
        !name || (strcmp(name, "worker") == 0 ? plan->worker.command.argv != NULL
                                              : plan_step_find(plan, name) != NULL);
    return is_there || part_fault_at(part, key, err,
                                     "there is no \"%.60s\"; allowed are worker and the names of "
                                     "steps",
                                     name);
}

static bool read_command(struct plan *plan, const struct part *part, struct plan_check *out,
                         struct err *err)
{
    out->command = plan_block(plan, 1, sizeof *out->command);
    out->command->name = out->name;
    return plan_read_check_command(plan, part, out->command, err);
}

static bool read_hex(const struct part *part, const char *key, const char **out, struct err *err)
{
    size_t size = 0;
    if (!part_text(part, key, out, err))
        return false;
    uint8_t *data OWN(own_mem) = *out ? hex_decode(*out, &size) : NULL;
    return !*out || data || part_fault_at(part, key, err, "is no pairs of hexadecimal digits");
}

static bool read_file(struct plan *plan, const struct part *part, struct plan_check *out,
                      struct err *err)
{
    static const char *const keys[] = {"path",   "absent",    "size",      "bytes", "sha256",
                                       "equals", "unchanged", "prefix_of", NULL};
    const struct part_range sizes = {0, INT64_MAX};
    struct plan_check_file *file = &out->file;
    file->has_absent = part_has(part, "absent");
    file->has_size = part_has(part, "size");
    if (!part_keys(part, keys, err) || !part_needs(part, "path", err) ||
        !part_text(part, "path", &file->path, err) ||
        !part_flag(part, "absent", &file->is_absent, err) ||
        !part_number(part, "size", sizes, &file->size, err) ||
        !read_hex(part, "bytes", &file->bytes, err) ||
        !read_hex(part, "sha256", &file->sha256, err) ||
        !part_text(part, "equals", &file->equals, err) ||
        !part_text(part, "unchanged", &file->unchanged, err) ||
        !part_text(part, "prefix_of", &file->prefix_of, err) ||
        !check_moment(plan, part, "unchanged", file->unchanged, err))
        return false;
    return json_object_size(part->json) > 1 ||
           part_fault(part, err,
                      "expects nothing; allowed are absent, size, bytes, sha256, equals, unchanged "
                      "and prefix_of");
}

static bool read_process(struct plan *plan, const struct part *part, struct plan_check *out,
                         struct err *err)
{
    static const char *const keys[] = {"of", "exit", "signal", "pid_differs_from", NULL};
    struct plan_check_process *process = &out->process;
    struct plan_end end = {0};
    if (!part_keys(part, keys, err) || !part_needs(part, "of", err) ||
        !read_who(plan, part, "of", &process->of, err) || !plan_read_end(part, &end, err) ||
        !read_who(plan, part, "pid_differs_from", &process->differs, err))
        return false;
    process->has_end = end.is_set;
    process->exit = end.exit;
    process->signal = end.signal;
    return end.is_set || process->differs ||
           part_fault(part, err, "expects nothing; allowed are exit, signal and pid_differs_from");
}

static bool read_sql(struct plan *plan, const struct part *part, struct plan_check *out,
                     struct err *err)
{
    static const char *const keys[] = {"database", "query", "rows", NULL};
    (void)plan;
    if (!part_keys(part, keys, err) || !part_needs(part, "database", err) ||
        !part_needs(part, "query", err) || !part_needs(part, "rows", err) ||
        !part_text(part, "database", &out->sql.database, err) ||
        !part_text(part, "query", &out->sql.query, err))
        return false;
    out->sql.rows = json_object_get(part->json, "rows");
    bool is_right = json_is_array(out->sql.rows);
    for (size_t i = 0; i < json_array_size(out->sql.rows); i++)
        is_right = is_right && json_is_array(json_array_get(out->sql.rows, i));
    return is_right || part_fault_at(part, "rows", err, "must be an array of rows: [[1, \"a\"]]");
}

static bool read_jsonl_source(const struct plan *plan, const struct part *part,
                              struct plan_check_jsonl *jsonl, struct err *err)
{
    static const char *const streams[] = {"stdout", "stderr", NULL};
    unsigned stream = 0;
    if (!read_who(plan, part, "of", &jsonl->of, err) ||
        !part_choice(part, "stream", streams, &stream, err) ||
        !part_text(part, "file", &jsonl->file, err))
        return false;
    jsonl->is_stderr = stream == 1;
    return (jsonl->of != NULL) != (jsonl->file != NULL) ||
           part_fault(part, err, "needs either of (whose stream) or file");
}

static bool read_jsonl(struct plan *plan, const struct part *part, struct plan_check *out,
                       struct err *err)
{
    static const char *const keys[] = {"of",     "stream", "file",   "where",
                                       "select", "count",  "equals", NULL};
    const struct part_range counts = {0, INT64_MAX};
    struct plan_check_jsonl *jsonl = &out->jsonl;
    if (!part_keys(part, keys, err) || !read_jsonl_source(plan, part, jsonl, err) ||
        !part_text(part, "select", &jsonl->select, err) ||
        !part_number(part, "count", counts, &jsonl->count, err))
        return false;
    jsonl->has_count = part_has(part, "count");
    jsonl->where = json_object_get(part->json, "where");
    jsonl->equals = json_object_get(part->json, "equals");
    if (jsonl->where && !json_is_object(jsonl->where))
        return part_fault_at(part, "where", err, "must be an object of members that lines have");
    if (jsonl->equals && !json_is_array(jsonl->equals))
        return part_fault_at(part, "equals", err, "must be an array, a value for each line");
    return jsonl->has_count || jsonl->equals ||
           part_fault(part, err, "expects nothing; allowed are count and equals");
}

/* "none", "count" and "order": what is asked, and the ops that it is asked about. */
static bool read_ask(struct plan *plan, const struct part *part, struct plan_check_trace *trace,
                     struct err *err)
{
    static const char *const asks[] = {"none", "count", "order", NULL};
    const char *asked = NULL;
    for (int i = 0; asks[i]; i++) {
        if (!part_has(part, asks[i]))
            continue;
        if (asked)
            return part_fault_at(part, asks[i], err, "only one of none, count and order");
        asked = asks[i];
        trace->ask = (enum plan_trace_ask)i;
    }
    if (!asked)
        return part_fault(part, err, "expects nothing; allowed are none, count and order");
    if (json_is_string(json_object_get(part->json, asked))) {
        const char **one = plan_block(plan, 2, sizeof *one);
        trace->ops = one;
        if (!part_text(part, asked, &one[0], err))
            return false;
    } else if (!plan_read_words(plan, part, asked, &trace->ops, err)) {
        return false;
    }
    return trace->ask != TRACE_ORDER || trace->ops[1] ||
           part_fault_at(part, asked, err, "needs at least two ops: [first, then]");
}

static bool check_ops(const struct part *part, const struct plan_check_trace *trace,
                      struct err *err)
{
    for (size_t i = 0; trace->ops[i]; i++) {
        if (!plan_check_words(part, trace->ops[i], err))
            return false;
    }
    return !trace->after || plan_check_words(part, trace->after, err);
}

static bool read_counts(const struct part *part, struct plan_check_trace *trace, struct err *err)
{
    const struct part_range counts = {0, INT64_MAX};
    const bool is_count = trace->ask == TRACE_COUNT;
    int64_t equals = -1;
    trace->at_most = is_count ? INT64_MAX : 0;
    if (!part_number(part, "equals", counts, &equals, err) ||
        !part_number(part, "at_least", counts, &trace->at_least, err) ||
        !part_number(part, "at_most", counts, &trace->at_most, err))
        return false;
    if (equals >= 0)
        trace->at_least = trace->at_most = equals;
    const bool has_value =
        part_has(part, "equals") || part_has(part, "at_least") || part_has(part, "at_most");
    if (has_value == is_count)
        return true;
    return part_fault(part, err,
                      "\"count\" needs one of equals, at_least and at_most, and nothing "
                      "else has them");
}

static bool read_trace(struct plan *plan, const struct part *part, struct plan_check *out,
                       struct err *err)
{
    static const char *const keys[] = {"of",     "none",     "count",   "order", "after",
                                       "equals", "at_least", "at_most", NULL};
    struct plan_check_trace *trace = &out->trace;
    if (!part_keys(part, keys, err) || !part_needs(part, "of", err) ||
        !read_who(plan, part, "of", &trace->of, err) || !read_ask(plan, part, trace, err) ||
        !part_text(part, "after", &trace->after, err) || !read_counts(part, trace, err) ||
        !check_ops(part, trace, err))
        return false;
    const struct plan_step *step = plan_step_find(plan, trace->of);
    return !step || step->want_trace ||
           part_fault_at(part, "of", err, "the step is not recorded; give it \"trace\": true");
}

static bool (*const readers[CHECK_KIND_COUNT])(struct plan *plan, const struct part *part,
                                               struct plan_check *out, struct err *err) = {
    [CHECK_COMMAND] = read_command, [CHECK_FILE] = read_file,   [CHECK_PROCESS] = read_process,
    [CHECK_SQL] = read_sql,         [CHECK_JSONL] = read_jsonl, [CHECK_TRACE] = read_trace,
};

static bool read_check(struct plan *plan, const struct part *part, struct plan_check *out,
                       struct err *err)
{
    static const char *const keys[] = {"name", "at",    "command", "file", "process",
                                       "sql",  "jsonl", "trace",   NULL};
    const char *const *kinds = keys + 2;
    size_t found = 0;
    out->at = "end";
    if (!part_keys(part, keys, err) || !part_needs(part, "name", err) ||
        !part_text(part, "name", &out->name, err) || !part_text(part, "at", &out->at, err) ||
        !check_moment(plan, part, "at", out->at, err))
        return false;
    for (int i = 0; i < CHECK_KIND_COUNT; i++) {
        if (!part_has(part, kinds[i]))
            continue;
        out->kind = (enum plan_check_kind)i;
        found++;
    }
    if (found != 1) {
        return part_fault(part, err,
                          "needs exactly one of command, file, process, sql, jsonl and trace");
    }
    struct where where;
    const struct part body = part_member(part, kinds[out->kind], &where);
    return readers[out->kind](plan, &body, out, err);
}

bool plan_read_checks(struct plan *plan, const struct part *scenario, struct err *err)
{
    size_t count = 0;
    struct where where;
    const struct part list = part_member(scenario, "checks", &where);
    if (!part_count(scenario, "checks", &count, err))
        return false;
    plan->checks = plan_block(plan, count + 1, sizeof *plan->checks);
    for (size_t i = 0; i < count; i++) {
        struct where item_where;
        const struct part item = part_item(&list, i, &item_where);
        if (!read_check(plan, &item, &plan->checks[i], err))
            return false;
        plan->checks_count++;
    }
    return true;
}
