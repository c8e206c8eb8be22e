#include "kept.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "number.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static char *text_of(const char *text)
{
    return mem_string(text != NULL ? text : "");
}

/* A list as a JSON array; bytes that are no UTF-8 are written one by one as U+0000 to U+00FF in an
 * array of their own, so that every command line can be kept. */
static char *list_of(const char *const *items, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_string(items[i]);
        if (item == NULL) {
            item = json_array();
            for (const char *at = items[i]; *at != '\0'; at++)
                json_array_append_new(item, json_integer((unsigned char)*at));
        }
        json_array_append_new(array, item);
    }
    char *text = json_dumps(array, JSON_COMPACT);
    json_decref(array);
    char *copy = mem_string(text != NULL ? text : "[]");
    free(text);
    return copy;
}

static char *write_worker(const struct settings *settings)
{
    return list_of(settings->rest, settings->rest_count);
}

static char *write_cwd(const struct settings *settings)
{
    (void)settings;
    char *cwd = getcwd(NULL, 0);
    char *copy = text_of(cwd);
    free(cwd);
    return copy;
}

static char *write_dir(const struct settings *settings)
{
    return text_of(settings->dir);
}

static char *write_init(const struct settings *settings)
{
    return text_of(settings->init);
}

static char *write_setup(const struct settings *settings)
{
    return text_of(settings->setup);
}

static char *write_exclude(const struct settings *settings)
{
    return list_of(settings->exclude.items, settings->exclude.count);
}

static char *write_env(const struct settings *settings)
{
    return list_of(settings->env.items, settings->env.count);
}

static char *write_model(const struct settings *settings)
{
    char *list = mem_string("");
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (!settings->model_wanted[i])
            continue;
        char *longer =
            mem_format("%s%s%s", list, list[0] != '\0' ? "," : "", model_name((enum model_kind)i));
        free(list);
        list = longer;
    }
    return list;
}

static char *write_recover(const struct settings *settings)
{
    return text_of(settings->recover);
}

static char *write_check(const struct settings *settings)
{
    return text_of(settings->check);
}

static char *write_timeout(const struct settings *settings)
{
    return mem_format("%" PRId64, settings->timeout_ns);
}

static char *write_net(const struct settings *settings)
{
    return text_of(settings->want_host_net ? "host" : "own");
}

static char *write_budget(const struct settings *settings)
{
    return mem_format("%" PRIu64, settings->budget);
}

static char *write_depth(const struct settings *settings)
{
    return mem_format("%" PRIu64, settings->depth);
}

static char *write_shard(const struct settings *settings)
{
    return mem_format("%" PRIu32 "/%" PRIu32, settings->shard + 1, settings->shards);
}

static char *write_slot_dir(const struct settings *settings)
{
    return text_of(settings->slot_dir);
}

static const struct {
    const char *name; /* in the store, after "option." */
    const char *title;
    char *(*write)(const struct settings *settings);
    enum { ALWAYS_EQUAL, FREE_IN_MERGE, FREE } freedom; /* may it differ in what is one run? */
} items[] = {
    {"worker", "the worker", write_worker, ALWAYS_EQUAL},
    {"cwd", "the current directory", write_cwd, FREE_IN_MERGE},
    {"dir", "--dir", write_dir, ALWAYS_EQUAL},
    {"init", "--init", write_init, ALWAYS_EQUAL},
    {"setup", "--setup", write_setup, ALWAYS_EQUAL},
    {"exclude", "--exclude", write_exclude, ALWAYS_EQUAL},
    {"env", "--env", write_env, ALWAYS_EQUAL},
    {"model", "--model", write_model, ALWAYS_EQUAL},
    {"recover", "--recover", write_recover, ALWAYS_EQUAL},
    {"check", "--check", write_check, ALWAYS_EQUAL},
    {"timeout", "--timeout", write_timeout, ALWAYS_EQUAL},
    {"net", "--net", write_net, ALWAYS_EQUAL},
    {"budget", "--budget", write_budget, ALWAYS_EQUAL},
    {"depth", "--depth", write_depth, ALWAYS_EQUAL},
    {"shard", "--shard", write_shard, FREE_IN_MERGE},
    {"slot-dir", "--slot-dir", write_slot_dir, FREE},
};
enum { ITEMS = sizeof items / sizeof *items };

static char *store_name(const char *name)
{
    return mem_format("option.%s", name);
}

bool kept_write(struct store *store, const struct settings *settings, struct err *err)
{
    for (size_t i = 0; i < ITEMS; i++) {
        char *name OWN(own_mem) = store_name(items[i].name);
        char *value OWN(own_mem) = items[i].write(settings);
        if (!store_set(store, name, value, err))
            return false;
    }
    return true;
}

/* The value in the store; an empty string when there is none. Caller frees. */
static bool get(struct store *store, const char *item, char **out, struct err *err)
{
    char *name OWN(own_mem) = store_name(item);
    char *value = NULL;
    if (!store_get(store, name, &value, err))
        return false;
    *out = value != NULL ? value : mem_string("");
    return true;
}

static char *tell_difference(size_t item, const char *before, const char *now)
{
    return mem_format("%s was '%s' and is '%s' now", items[item].title, before, now);
}

bool kept_compare(struct store *store, const struct settings *settings, char **difference,
                  struct err *err)
{
    *difference = NULL;
    for (size_t i = 0; i < ITEMS && *difference == NULL; i++) {
        char *kept OWN(own_mem) = NULL;
        char *now OWN(own_mem) = items[i].write(settings);
        if (items[i].freedom == FREE)
            continue;
        if (!get(store, items[i].name, &kept, err))
            return false;
        if (strcmp(kept, now) != 0)
            *difference = tell_difference(i, kept, now);
    }
    return true;
}

bool kept_compare_runs(struct store *first, struct store *other, char **difference, struct err *err)
{
    *difference = NULL;
    for (size_t i = 0; i < ITEMS && *difference == NULL; i++) {
        char *a OWN(own_mem) = NULL;
        char *b OWN(own_mem) = NULL;
        if (items[i].freedom != ALWAYS_EQUAL)
            continue;
        if (!get(first, items[i].name, &a, err) || !get(other, items[i].name, &b, err))
            return false;
        if (strcmp(a, b) != 0) {
            *difference =
                mem_format("%s is '%s' in one and '%s' in the other", items[i].title, a, b);
        }
    }
    return true;
}

bool kept_copy_whole(struct store *from, struct store *to, struct err *err)
{
    for (size_t i = 0; i < ITEMS; i++) {
        char *name OWN(own_mem) = store_name(items[i].name);
        char *value OWN(own_mem) = NULL;
        if (!get(from, items[i].name, &value, err))
            return false;
        const bool is_shard = strcmp(items[i].name, "shard") == 0;
        if (!store_set(to, name, is_shard ? "1/1" : value, err))
            return false;
    }
    return true;
}

static const char resumable[] = "resumable";

bool kept_set_resumable(struct store *store, struct err *err)
{
    return store_set(store, resumable, "yes", err);
}

bool kept_is_resumable(struct store *store, bool *out, struct err *err)
{
    char *value OWN(own_mem) = NULL;
    if (!store_get(store, resumable, &value, err))
        return false;
    *out = value != NULL;
    return true;
}

/* Takes a list apart that list_of has made. */
static char **read_list(const char *text)
{
    json_t *array = json_loads(text, 0, NULL);
    const size_t count = json_array_size(array);
    char **list = mem_new(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(array, i);
        const size_t size = json_array_size(item);
        list[i] = json_is_string(item) ? mem_string(json_string_value(item)) : mem_new(size + 1, 1);
        for (size_t j = 0; j < size; j++)
            list[i][j] = (char)json_integer_value(json_array_get(item, j));
    }
    json_decref(array);
    return list;
}

static const char *or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

static bool read_numbers(struct store *store, struct settings *settings, struct err *err)
{
    char *timeout OWN(own_mem) = NULL;
    char *budget OWN(own_mem) = NULL;
    char *shard OWN(own_mem) = NULL;
    char *depth OWN(own_mem) = NULL;
    char *model OWN(own_mem) = NULL;
    char *net OWN(own_mem) = NULL;
    uint64_t ns = 0;
    if (!get(store, "timeout", &timeout, err) || !get(store, "budget", &budget, err) ||
        !get(store, "shard", &shard, err) || !get(store, "model", &model, err) ||
        !get(store, "net", &net, err) || !get(store, "depth", &depth, err))
        return false;
    if (!number_parse(timeout, &ns) || !number_parse(budget, &settings->budget) ||
        !number_parse_shard(shard, &settings->shard, &settings->shards)) {
        return err_usage(err, "run.db holds no options of an exploration: was it made by brink "
                              "explore?");
    }
    if (!number_parse(depth, &settings->depth))
        settings->depth = 1;
    settings->timeout_ns = (int64_t)ns;
    settings->want_host_net = strcmp(net, "host") == 0;
    for (int i = 0; i < MODEL_COUNT; i++)
        settings->model_wanted[i] = strstr(model, model_name((enum model_kind)i)) != NULL;
    return true;
}

bool kept_read(struct store *store, struct kept *out, struct err *err)
{
    struct kept kept = {0};
    char *env OWN(own_mem) = NULL;
    settings_init(&kept.settings);
    if (!read_numbers(store, &kept.settings, err) || !get(store, "cwd", &kept.cwd, err) ||
        !get(store, "recover", &kept.recover, err) || !get(store, "check", &kept.check, err) ||
        !get(store, "slot-dir", &kept.slot_dir, err) || !get(store, "env", &env, err)) {
        kept_fini(&kept);
        return false;
    }
    kept.env = read_list(env);
    kept.settings.recover = or_null(kept.recover);
    kept.settings.check = or_null(kept.check);
    kept.settings.slot_dir = or_null(kept.slot_dir);
    for (char **item = kept.env; *item != NULL; item++)
        words_add(&kept.settings.env, *item);
    *out = kept;
    return true;
}

void kept_fini(struct kept *kept)
{
    for (char **item = kept->env; item != NULL && *item != NULL; item++)
        free(*item);
    free(kept->env);
    free(kept->cwd);
    free(kept->recover);
    free(kept->check);
    free(kept->slot_dir);
    settings_fini(&kept->settings);
    *kept = (struct kept){0};
}
