#include "source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/file.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { FILE_MAX = 4 << 20, INCLUDES_MAX = 32, FAULT_MAX = 400 };

static const char include_key[] = "include";

void source_fini(struct source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        free(source->files[i].path);
        free(source->files[i].text);
    }
    free(source->files);
    free(source->folder);
    json_decref(source->root);
    *source = (struct source){0};
}

bool source_fault(const struct source *source, const struct where *where, struct err *err,
                  const char *fmt, ...)
{
    char what[FAULT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    /* The file that has the place; when none has (a member is missing) the scenario itself. */
    struct where_position position;
    const struct source_file *file = NULL;
    for (size_t i = 0; i < source->count && !file; i++) {
        if (where_find(source->files[i].text, where, &position))
            file = &source->files[i];
    }
    if (!file) {
        file = &source->files[0];
        where_find(file->text, where, &position);
    }
    char *path OWN(own_mem) = where_text(where);
    return err_usage(err, "%s:%zu:%zu: %s%s%s", file->path, position.line, position.column, path,
                     *path ? ": " : "", what);
}

static bool is_open_already(const struct source *source, const char *path)
{
    for (size_t i = 0; i < source->count; i++) {
        if (strcmp(source->files[i].path, path) == 0)
            return true;
    }
    return false;
}

static bool parse(const char *path, const char *text, size_t size, json_t **out, struct err *err)
{
    json_error_t error;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        return err_usage(err, "%s:%d:%d: no JSON: %s", path, error.line,
                         error.column > 0 ? error.column : 1, error.text);
    }
    if (!json_is_object(root)) {
        json_decref(root);
        return err_usage(err, "%s:1:1: a scenario is a JSON object: { ... }", path);
    }
    *out = root;
    return true;
}

static bool add_file(struct source *source, const char *path, json_t **out, struct err *err)
{
    char *text = NULL;
    size_t size = 0;
    if (!file_read(path, FILE_MAX, &text, &size, err)) {
        err->kind = ERR_USAGE;
        return false;
    }
    if (!parse(path, text, size, out, err)) {
        free(text);
        return false;
    }
    mem_grow(&source->files, &source->capacity, source->count + 1, sizeof *source->files);
    source->files[source->count++] = (struct source_file){mem_string(path), text};
    return true;
}

/* The folder of a path, with its slash; "" when it has none. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? mem_range(path, (size_t)(slash - path) + 1) : mem_string("");
}

/* Members that `base` has and `over` has not are added to it, below too. */
static void join(json_t *over, json_t *base)
{
    const char *key;
    json_t *value;
    json_object_foreach(base, key, value)
    {
        json_t *own = json_object_get(over, key);
        if (!own) {
            json_object_set(over, key, value);
        } else if (json_is_object(own) && json_is_object(value)) {
            join(own, value);
        }
    }
}

struct include {
    const char *folder; /* of the file that includes */
    const struct where *where;
    json_t *into;
};

static bool take_includes(struct source *source, const char *folder, json_t *object,
                          struct err *err);

static bool take_include(struct source *source, const struct include *include, const json_t *name,
                         struct err *err)
{
    if (!json_is_string(name)) {
        return source_fault(source, include->where, err,
                            "is no name of a file; \"include\" takes one, or a list of them");
    }
    const char *text = json_string_value(name);
    char *path OWN(own_mem) = mem_format("%s%s", *text == '/' ? "" : include->folder, text);
    if (is_open_already(source, path) || source->count >= INCLUDES_MAX) {
        return source_fault(source, include->where, err,
                            "%s is included already; each file can be included once", text);
    }
    json_t *base = NULL;
    if (!add_file(source, path, &base, err)) {
        struct err inner = *err;
        *err = (struct err){0};
        return source_fault(source, include->where, err, "%.300s", inner.text);
    }
    char *folder OWN(own_mem) = folder_of(path);
    const bool is_done = take_includes(source, folder, base, err);
    if (is_done)
        join(include->into, base);
    json_decref(base);
    return is_done;
}

static bool take_includes(struct source *source, const char *folder, json_t *object,
                          struct err *err)
{
    json_t *names = json_incref(json_object_get(object, include_key));
    json_object_del(object, include_key);
    bool is_done = true;
    const struct where where = {.key = include_key};
    const size_t count = json_is_array(names) ? json_array_size(names) : names != NULL;
    for (size_t i = 0; i < count && is_done; i++) {
        const struct where item = {.up = &where, .index = i};
        const bool is_list = json_is_array(names);
        const struct include include = {folder, is_list ? &item : &where, object};
        is_done = take_include(source, &include, is_list ? json_array_get(names, i) : names, err);
    }
    json_decref(names);
    return is_done;
}

static bool load(const char *path, struct source *source, struct err *err)
{
    if (!add_file(source, path, &source->root, err))
        return false;
    char *folder OWN(own_mem) = folder_of(path);
    source->folder = realpath(*folder ? folder : ".", NULL);
    if (!source->folder)
        return err_system(err, "find the folder of %s", path);
    return take_includes(source, folder, source->root, err);
}

bool source_open(const char *path, struct source *out, struct err *err)
{
    struct source source = {0};
    if (!load(path, &source, err)) {
        source_fini(&source);
        return false;
    }
    *out = source;
    return true;
}
