#include "suite.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lock_order.h"
#include "parameters.h"
#include "suite_files.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static const struct suite_place some_place = {
    .dir = "/workspace", .state = "/state", .kept = "/kept", .port = 7000};

static void case_fini(struct suite_case *suite_case)
{
    free(suite_case->name);
    json_decref(suite_case->values);
    json_decref(suite_case->each);
}

void suite_fini(struct suite *suite)
{
    for (size_t i = 0; i < suite->count; i++)
        case_fini(&suite->cases[i]);
    for (size_t i = 0; i < suite->sources_count; i++) {
        source_fini(suite->sources[i]);
        free(suite->sources[i]);
    }
    free(suite->cases);
    free(suite->sources);
    *suite = (struct suite){0};
}

char *suite_bin(void)
{
    char path[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    size_t end = size > 0 ? (size_t)size : 0;
    while (end > 1 && path[end - 1] != '/')
        end--;
    return end > 1 ? mem_range(path, end - 1) : mem_string("/");
}

/* Names that are always known. The caller owns the result. */
static json_t *values_of(const struct suite_case *suite_case, size_t each,
                         const struct suite_place *place)
{
    char *bin OWN(own_mem) = suite_bin();
    json_t *values = json_copy(suite_case->values);
    json_object_update(values, json_array_get(suite_case->each, each));
    json_object_set_new(values, "bin", json_string(bin));
    json_object_set_new(values, "here", json_string(suite_case->source->folder));
    json_object_set_new(values, "dir", json_string(place->dir));
    json_object_set_new(values, "state", json_string(place->state));
    json_object_set_new(values, "kept", json_string(place->kept));
    json_object_set_new(values, "port", json_integer(place->port));
    return values;
}

bool suite_plan(const struct suite_case *suite_case, size_t run, const struct suite_place *place,
                struct plan *out, struct err *err)
{
    json_t *values = values_of(suite_case, run / suite_case->orders, place);
    const bool is_done = plan_read(suite_case->source, values, out, err);
    json_decref(values);
    return is_done;
}

char *suite_run_label(const struct suite_case *suite_case, size_t run)
{
    char *label = parameters_label(json_array_get(suite_case->each, run / suite_case->orders));
    if (suite_case->orders == 1)
        return label;
    char *longer = mem_format("%s[order=%zu]", label, run % suite_case->orders + 1);
    free(label);
    return longer;
}

static bool check_orders(const struct part *scenario, const struct plan *plan, struct err *err)
{
    const struct plan_worker *worker = &plan->worker;
    struct where where;
    const struct part part = part_member(scenario, "worker", &where);
    return worker->orders <= lock_order_possible(worker->count) ||
           part_fault_at(&part, "locks", err, "%u processes have only %u different orders",
                         worker->count, (unsigned)lock_order_possible(worker->count));
}

/* All runs must be readable, and of one kind. */
static bool check_runs(struct suite_case *suite_case, const struct part *scenario, struct err *err)
{
    const size_t count = json_array_size(suite_case->each);
    suite_case->orders = 1;
    for (size_t i = 0; i < count; i++) {
        struct plan plan;
        if (!suite_plan(suite_case, i * suite_case->orders, &some_place, &plan, err))
            return false;
        const bool is_right = check_orders(scenario, &plan, err);
        suite_case->orders = i == 0 ? plan.worker.orders : suite_case->orders;
        plan_fini(&plan);
        if (!is_right)
            return false;
    }
    suite_case->runs = count * suite_case->orders;
    return true;
}

/* A name may mean one thing only. */
static bool check_names(const struct part *part, const json_t *taken, struct err *err)
{
    static const char *const ours[] = {"bin", "here", "dir", "state", "kept", "port"};
    const char *name;
    json_t *value;
    json_t *first = json_array_get(part->json, 0);
    json_object_foreach(first, name, value)
    {
        bool is_taken = json_object_get(taken, name) != NULL;
        for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
            is_taken = is_taken || strcmp(name, ours[i]) == 0;
        if (is_taken)
            return part_fault(part, err, "\"%s\" is the name of another parameter", name);
    }
    return true;
}

static bool expand_each(const struct part *scenario, struct suite_case *suite_case, struct err *err)
{
    struct where where;
    struct part each = part_member(scenario, "each", &where);
    json_t *filled = NULL;
    if (each.json && !parameters_fill(&each, suite_case->values, &filled, err))
        return false;
    each.json = filled;
    bool is_done = parameters_expand(&each, &suite_case->each, err);
    json_decref(filled);
    each.json = suite_case->each;
    return is_done && check_names(&each, suite_case->values, err);
}

static const struct suite_case *find_case(const struct suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->count; i++) {
        if (strcmp(suite->cases[i].name, name) == 0)
            return &suite->cases[i];
    }
    return NULL;
}

static bool add_case(struct suite *suite, const struct part *scenario, json_t *values,
                     struct err *err)
{
    const char *name = "";
    if (!part_text(scenario, "name", &name, err))
        return false;
    char *label OWN(own_mem) = parameters_label(values);
    struct suite_case made = {.name = mem_format("%s%s", name, label),
                              .source = scenario->source,
                              .values = json_incref(values)};
    const struct suite_case *same = find_case(suite, made.name);
    bool is_done = expand_each(scenario, &made, err) && check_runs(&made, scenario, err);
    if (is_done && same) {
        is_done = part_fault_at(scenario, "name", err,
                                "\"%.80s\" is the name of a case in %.150s already", made.name,
                                same->source->files[0].path);
    }
    if (!is_done) {
        case_fini(&made);
        return false;
    }
    mem_grow(&suite->cases, &suite->capacity, suite->count + 1, sizeof *suite->cases);
    suite->cases[suite->count++] = made;
    return true;
}

static bool add_source(struct suite *suite, const struct source *source, struct err *err)
{
    const struct part scenario = {.source = source, .json = source->root};
    struct where where;
    struct part matrix = part_member(&scenario, "matrix", &where);
    json_t *combinations = NULL;
    if (!parameters_expand(&matrix, &combinations, err))
        return false;
    matrix.json = combinations;
    bool is_done = check_names(&matrix, NULL, err);
    for (size_t i = 0; is_done && i < json_array_size(combinations); i++)
        is_done = add_case(suite, &scenario, json_array_get(combinations, i), err);
    json_decref(combinations);
    return is_done;
}

static bool add_file(struct suite *suite, const char *path, struct err *err)
{
    struct source *source = mem_new(1, sizeof *source);
    if (!source_open(path, source, err)) {
        free(source);
        return false;
    }
    mem_grow(&suite->sources, &suite->sources_capacity, suite->sources_count + 1, sizeof(void *));
    suite->sources[suite->sources_count++] = source;
    return add_source(suite, source, err);
}

bool suite_add(struct suite *suite, const char *path, struct err *err)
{
    struct suite_files files = {0};
    bool is_done = suite_files_find(path, &files, err);
    for (size_t i = 0; is_done && i < files.count; i++)
        is_done = add_file(suite, files.paths[i], err);
    suite_files_fini(&files);
    return is_done;
}

bool suite_only(struct suite *suite, const char *pattern, struct err *err)
{
    size_t kept = 0;
    if (!pattern)
        return true;
    for (size_t i = 0; i < suite->count; i++) {
        const char *name = suite->cases[i].name;
        if (strcmp(name, pattern) == 0 || fnmatch(pattern, name, 0) == 0) {
            suite->cases[kept++] = suite->cases[i];
        } else {
            case_fini(&suite->cases[i]);
        }
    }
    suite->count = kept;
    return kept > 0 ||
           err_usage(err, "--only %s: no case has such a name; see brink run --list", pattern);
}

void suite_shard(struct suite *suite, uint32_t shard, uint32_t shards)
{
    size_t kept = 0;
    for (size_t i = 0; i < suite->count; i++) {
        if (i % shards == shard) {
            suite->cases[kept++] = suite->cases[i];
        } else {
            case_fini(&suite->cases[i]);
        }
    }
    suite->count = kept;
}

char *suite_folder(const struct suite *suite, const struct suite_case *suite_case)
{
    enum { NAME_MAX_KEPT = 100 };
    const size_t number = (size_t)(suite_case - suite->cases) + 1;
    char *name = mem_format("%04zu-%.*s", number, NAME_MAX_KEPT, suite_case->name);
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-=,";
    for (char *at = name + strspn(name, plain); *at; at += strspn(at, plain))
        *at = '_';
    return name;
}
