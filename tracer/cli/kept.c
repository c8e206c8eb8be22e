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
    bool is_free; /* may differ in a resumed run */
} items[] = {
    {"worker", "the worker", write_worker, false},
    {"cwd", "the current directory", write_cwd, false},
    {"dir", "--dir", write_dir, false},
    {"init", "--init", write_init, false},
    {"setup", "--setup", write_setup, false},
    {"exclude", "--exclude", write_exclude, false},
    {"env", "--env", write_env, false},
    {"model", "--model", write_model, false},
    {"recover", "--recover", write_recover, false},
    {"check", "--check", write_check, false},
    {"timeout", "--timeout", write_timeout, false},
    {"net", "--net", write_net, false},
    {"budget", "--budget", write_budget, false},
    {"shard", "--shard", write_shard, false},
    {"slot-dir", "--slot-dir", write_slot_dir, true},
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

bool kept_compare(struct store *store, const struct settings *settings, bool is_shard_free,
                  char **difference, struct err *err)
{
    *difference = NULL;
    for (size_t i = 0; i < ITEMS; i++) {
        char *kept OWN(own_mem) = NULL;
        char *now OWN(own_mem) = items[i].write(settings);
        if (items[i].is_free || (is_shard_free && strcmp(items[i].name, "shard") == 0))
            continue;
        if (!get(store, items[i].name, &kept, err))
            return false;
        if (strcmp(kept, now) == 0)
            continue;
        *difference = mem_format("%s was '%s' and is '%s' now", items[i].title, kept, now);
        return true;
    }
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
    char *model OWN(own_mem) = NULL;
    char *net OWN(own_mem) = NULL;
    uint64_t ns = 0;
    if (!get(store, "timeout", &timeout, err) || !get(store, "budget", &budget, err) ||
        !get(store, "shard", &shard, err) || !get(store, "model", &model, err) ||
        !get(store, "net", &net, err))
        return false;
    if (!number_parse(timeout, &ns) || !number_parse(budget, &settings->budget) ||
        !number_parse_shard(shard, &settings->shard, &settings->shards))
        return err_usage(err, "run.db holds no options of an exploration: was it made by brink "
                              "explore?");
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
