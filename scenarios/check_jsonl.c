#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static bool fits(const json_t *line, json_t *where)
{
    const char *key;
    json_t *value;
    json_object_foreach(where, key, value)
    {
        const json_t *own = json_object_get(line, key);
        if (!own || !json_equal(own, value))
            return false;
    }
    return true;
}

/* What is selected of the lines that fit; false: *bad_line is no JSON. */
static bool select_lines(const struct ended_text *text, const struct plan_check_jsonl *jsonl,
                         json_t *out, size_t *bad_line)
{
    const char *at = text->bytes;
    const char *end = at + text->size;
    for (*bad_line = 1; at < end; (*bad_line)++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t size = (size_t)((newline ? newline : end) - at);
        json_error_t ignored;
        json_t *line = json_loadb(at, size, JSON_DECODE_ANY, &ignored);
        if (!line && size > 0)
            return false;
        if (line && fits(line, jsonl->where)) {
            json_t *chosen = jsonl->select ? json_object_get(line, jsonl->select) : line;
            json_array_append(out, chosen ? chosen : json_null());
        }
        json_decref(line);
        at += size + 1;
    }
    return true;
}

static void compare(struct scene *scene, const struct plan_check *check, const json_t *selected)
{
    const struct plan_check_jsonl *jsonl = &check->jsonl;
    if (jsonl->has_count) {
        char *expected OWN(own_mem) = mem_format("%" PRId64, jsonl->count);
        char *observed OWN(own_mem) = mem_format("%zu", json_array_size(selected));
        assertions_compare(scene->assertions,
                           &(struct assertion){check->name, "count", expected, observed});
    }
    if (jsonl->equals) {
        char *expected OWN(own_mem) = json_dumps(jsonl->equals, JSON_COMPACT);
        char *observed OWN(own_mem) = json_dumps(selected, JSON_COMPACT);
        const struct assertion assertion = {check->name, "equals", expected, observed};
        assertions_add(scene->assertions, &assertion, json_equal(jsonl->equals, selected) != 0);
    }
}

static void check_text(struct scene *scene, const struct plan_check *check,
                       const struct ended_text *text)
{
    size_t line = 0;
    json_t *selected = json_array();
    if (select_lines(text, &check->jsonl, selected, &line)) {
        compare(scene, check, selected);
    } else {
        char *why OWN(own_mem) = mem_format("line %zu is no JSON", line);
        check_impossible(scene, check, "lines of JSON", why);
    }
    json_decref(selected);
}

void check_jsonl(struct scene *scene, const struct plan_check *check)
{
    const struct plan_check_jsonl *jsonl = &check->jsonl;
    if (jsonl->of) {
        const struct ended *ended = scene_find(scene, jsonl->of);
        if (ended) {
            check_text(scene, check, jsonl->is_stderr ? &ended->error : &ended->out);
        } else {
            check_impossible(scene, check, "lines of JSON", "it has not run yet");
        }
        return;
    }
    const int fd OWN(own_fd) = openat(scene->dir_fd, jsonl->file, O_RDONLY | O_CLOEXEC);
    struct ended_text text = {0};
    struct err err = {0};
    if (fd < 0) {
        check_impossible(scene, check, "lines of JSON", strerror(errno));
    } else if (ended_take_text(fd, &text, &err)) {
        check_text(scene, check, &text);
    } else {
        check_impossible(scene, check, "lines of JSON", err.text);
    }
    free(text.bytes);
}
