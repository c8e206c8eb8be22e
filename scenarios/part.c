#include "part.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { WHAT_MAX = 400 };

static bool fault(const struct part *part, struct err *err, const char *fmt, va_list args)
{
    char what[WHAT_MAX];
    vsnprintf(what, sizeof what, fmt, args);
    return source_fault(part->source, part->where, err, "%s", what);
}

bool part_fault(const struct part *part, struct err *err, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fault(part, err, fmt, args);
    va_end(args);
    return false;
}

bool part_fault_at(const struct part *part, const char *key, struct err *err, const char *fmt, ...)
{
    struct where where;
    const struct part member = part_member(part, key, &where);
    va_list args;
    va_start(args, fmt);
    fault(&member, err, fmt, args);
    va_end(args);
    return false;
}

/* "a, b and c"; caller frees. */
static char *list_words(const char *const *words)
{
    char *list = mem_string("");
    for (size_t i = 0; words[i]; i++) {
        const char *comma = i == 0 ? "" : words[i + 1] ? ", " : " and ";
        char *longer = mem_format("%s%s%s", list, comma, words[i]);
        free(list);
        list = longer;
    }
    return list;
}

static bool is_among(const char *const *words, const char *word, unsigned *at)
{
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(words[i], word) != 0)
            continue;
        *at = i;
        return true;
    }
    return false;
}

static const char *type_name(const json_t *json)
{
    if (!json)
        return "nothing";
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        return "null";
    }
    return "something else";
}

bool part_keys(const struct part *part, const char *const *allowed, struct err *err)
{
    const char *key;
    json_t *value;
    unsigned at;
    if (!json_is_object(part->json))
        return part_fault(part, err, "is %s; allowed is an object", type_name(part->json));
    json_object_foreach(part->json, key, value)
    {
        if (is_among(allowed, key, &at))
            continue;
        char *list OWN(own_mem) = list_words(allowed);
        return part_fault_at(part, key, err, "unknown key; allowed are %s", list);
    }
    return true;
}

struct part part_member(const struct part *part, const char *key, struct where *where)
{
    *where = (struct where){.up = part->where, .key = key};
    return (struct part){part->source, where, json_object_get(part->json, key)};
}

struct part part_item(const struct part *part, size_t index, struct where *where)
{
    *where = (struct where){.up = part->where, .index = index};
    return (struct part){part->source, where, json_array_get(part->json, index)};
}

bool part_has(const struct part *part, const char *key)
{
    return json_object_get(part->json, key) != NULL;
}

static bool wrong_type(const struct part *part, const char *key, const char *allowed,
                       struct err *err)
{
    return part_fault_at(part, key, err, "is %s; allowed is %s",
                         type_name(json_object_get(part->json, key)), allowed);
}

bool part_text(const struct part *part, const char *key, const char **out, struct err *err)
{
    const json_t *value = json_object_get(part->json, key);
    if (!value)
        return true;
    if (!json_is_string(value))
        return wrong_type(part, key, "a string", err);
    if (strlen(json_string_value(value)) != json_string_length(value))
        return part_fault_at(part, key, err, "holds a NUL character; no string here can");
    *out = json_string_value(value);
    return true;
}

bool part_number(const struct part *part, const char *key, struct part_range range, int64_t *out,
                 struct err *err)
{
    const json_t *value = json_object_get(part->json, key);
    if (!value)
        return true;
    const int64_t number = json_integer_value(value);
    if (json_is_integer(value) && number >= range.min && number <= range.max) {
        *out = number;
        return true;
    }
    char *allowed OWN(own_mem) =
        range.max == INT64_MAX
            ? mem_format("a whole number from %" PRId64 " up", range.min)
            : mem_format("a whole number from %" PRId64 " to %" PRId64, range.min, range.max);
    if (json_is_integer(value))
        return part_fault_at(part, key, err, "is %" PRId64 "; allowed is %s", number, allowed);
    return wrong_type(part, key, allowed, err);
}

bool part_flag(const struct part *part, const char *key, bool *out, struct err *err)
{
    const json_t *value = json_object_get(part->json, key);
    if (!value)
        return true;
    if (!json_is_boolean(value))
        return wrong_type(part, key, "true or false", err);
    *out = json_is_true(value);
    return true;
}

bool part_choice(const struct part *part, const char *key, const char *const *words, unsigned *out,
                 struct err *err)
{
    const char *text = NULL;
    if (!part_text(part, key, &text, err))
        return false;
    if (!text || is_among(words, text, out))
        return true;
    char *list OWN(own_mem) = list_words(words);
    return part_fault_at(part, key, err, "is \"%.100s\"; allowed are %s", text, list);
}

bool part_needs(const struct part *part, const char *key, struct err *err)
{
    return part_has(part, key) || part_fault(part, err, "\"%s\" is missing", key);
}

bool part_count(const struct part *part, const char *key, size_t *count, struct err *err)
{
    const json_t *value = json_object_get(part->json, key);
    *count = 0;
    if (!value)
        return true;
    if (!json_is_array(value))
        return wrong_type(part, key, "an array", err);
    *count = json_array_size(value);
    return *count > 0 || part_fault_at(part, key, err, "is empty; leave it out or fill it");
}
