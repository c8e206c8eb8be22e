#include "parameters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { COMBINATIONS_MAX = 1000000 };

static bool is_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return *name && name[strspn(name, letters)] == '\0';
}

static bool check_value(const struct part *part, struct err *err)
{
    if (json_is_string(part->json) || json_is_number(part->json) || json_is_boolean(part->json))
        return true;
    return part_fault(part, err, "is no value; allowed are strings, numbers, true and false");
}

static bool check_name(const struct part *part, const char *name, struct err *err)
{
    if (is_name(name))
        return true;
    return part_fault_at(part, name, err,
                         "is no name of a parameter; allowed are letters, digits, _ and -");
}

/* {"from": 0, "to": 98, "step": 1}, both ends included. */
static bool expand_range(const struct part *part, json_t *values, struct err *err)
{
    static const char *const keys[] = {"from", "to", "step", NULL};
    const struct part_range any = {INT32_MIN, INT32_MAX};
    const struct part_range up = {1, INT32_MAX};
    int64_t from = 0;
    int64_t to = 0;
    int64_t step = 1;
    if (!part_keys(part, keys, err) || !part_needs(part, "from", err) ||
        !part_needs(part, "to", err) || !part_number(part, "from", any, &from, err) ||
        !part_number(part, "to", any, &to, err) || !part_number(part, "step", up, &step, err))
        return false;
    if (from > to)
        return part_fault(part, err, "is empty: \"from\" is above \"to\"");
    if ((to - from) / step >= COMBINATIONS_MAX)
        return part_fault(part, err, "is too long; allowed are %d values", COMBINATIONS_MAX);
    for (; from <= to; from += step)
        json_array_append_new(values, json_integer(from));
    return true;
}

static bool expand_values(const struct part *part, json_t *values, struct err *err)
{
    if (json_is_object(part->json))
        return expand_range(part, values, err);
    if (!json_is_array(part->json)) {
        return part_fault(part, err,
                          "is no list of values; allowed are [a, b] and {\"from\": a, \"to\": b}");
    }
    if (json_array_size(part->json) == 0)
        return part_fault(part, err, "is empty: a parameter needs at least one value");
    for (size_t i = 0; i < json_array_size(part->json); i++) {
        struct where where;
        const struct part item = part_item(part, i, &where);
        if (!check_value(&item, err))
            return false;
        json_array_append(values, item.json);
    }
    return true;
}

/* Replaces the combinations so far by each of them with each of the values. */
static bool multiply(json_t **combinations, const char *name, const json_t *values)
{
    const size_t before = json_array_size(*combinations);
    const size_t count = json_array_size(values);
    if (before * count > COMBINATIONS_MAX)
        return false;
    json_t *more = json_array();
    for (size_t i = 0; i < before * count; i++) {
        json_t *combination = json_copy(json_array_get(*combinations, i / count));
        json_object_set(combination, name, json_array_get(values, i % count));
        json_array_append_new(more, combination);
    }
    json_decref(*combinations);
    *combinations = more;
    return true;
}

static bool expand_member(const struct part *part, const char *name, json_t **combinations,
                          struct err *err)
{
    struct where where;
    const struct part member = part_member(part, name, &where);
    json_t *values = json_array();
    bool is_done = check_name(part, name, err) && expand_values(&member, values, err);
    if (is_done && !multiply(combinations, name, values)) {
        is_done = part_fault(&member, err, "makes too many combinations; allowed are %d",
                             COMBINATIONS_MAX);
    }
    json_decref(values);
    return is_done;
}

static bool expand_row(const struct part *row, json_t *combinations, struct err *err)
{
    const char *name;
    json_t *value;
    if (!json_is_object(row->json) || json_object_size(row->json) == 0)
        return part_fault(row, err, "is no row; allowed is an object of parameters and values");
    json_object_foreach(row->json, name, value)
    {
        struct where where;
        const struct part member = part_member(row, name, &where);
        if (!check_name(row, name, err) || !check_value(&member, err))
            return false;
    }
    json_array_append(combinations, row->json);
    return true;
}

static bool expand_rows(const struct part *part, json_t *combinations, struct err *err)
{
    json_array_clear(combinations);
    for (size_t i = 0; i < json_array_size(part->json); i++) {
        struct where where;
        const struct part row = part_item(part, i, &where);
        if (!expand_row(&row, combinations, err))
            return false;
    }
    return true;
}

static bool expand(const struct part *part, json_t **combinations, struct err *err)
{
    const char *name;
    json_t *value;
    if (json_is_array(part->json) && json_array_size(part->json) > 0)
        return expand_rows(part, *combinations, err);
    if (!json_is_object(part->json) || json_object_size(part->json) == 0) {
        return part_fault(part, err,
                          "is empty; allowed is an object of parameters, or an array of rows");
    }
    json_object_foreach(part->json, name, value)
    {
        if (!expand_member(part, name, combinations, err))
            return false;
    }
    return true;
}

bool parameters_expand(const struct part *part, json_t **out, struct err *err)
{
    json_t *combinations = json_array();
    json_array_append_new(combinations, json_object());
    if (part->json && !expand(part, &combinations, err)) {
        json_decref(combinations);
        return false;
    }
    *out = combinations;
    return true;
}

/* A value as it stands in a longer string. Caller frees. */
static char *value_text(const json_t *value)
{
    if (json_is_string(value))
        return mem_string(json_string_value(value));
    if (json_is_boolean(value))
        return mem_string(json_is_true(value) ? "true" : "false");
    if (json_is_integer(value))
        return mem_format("%" PRId64, (int64_t)json_integer_value(value));
    return mem_format("%g", json_real_value(value));
}

struct filling {
    const struct part *part;
    const json_t *values;
    char *text;
    size_t size, capacity;
};

static void add(struct filling *filling, const char *text, size_t size)
{
    mem_grow(&filling->text, &filling->capacity, filling->size + size + 1, 1);
    memcpy(filling->text + filling->size, text, size);
    filling->size += size;
    filling->text[filling->size] = '\0';
}

/* at: behind "${". NULL and *err when the name is not known; else the place behind "}". */
static const char *find_value(const struct filling *filling, const char *at, json_t **out,
                              struct err *err)
{
    const size_t size = strcspn(at, "}");
    if (at[size] == '\0') {
        part_fault(filling->part, err, "holds \"${\" without \"}\"; \"$${\" stands for \"${\"");
        return NULL;
    }
    char *name OWN(own_mem) = mem_range(at, size);
    *out = json_object_get(filling->values, name);
    if (!*out) {
        part_fault(filling->part, err,
                   "there is no parameter \"%.60s\"; allowed are those of matrix and each, bin, "
                   "here, dir, state, kept and port",
                   name);
        return NULL;
    }
    return at + size + 1;
}

static bool fill_text(struct filling *filling, const char *at, struct err *err)
{
    add(filling, "", 0);
    while (*at) {
        json_t *value = NULL;
        const size_t plain = strcspn(at, "$");
        add(filling, at, plain);
        at += plain;
        if (strncmp(at, "$${", 3) == 0) {
            add(filling, "${", 2);
            at += 3;
        } else if (strncmp(at, "${", 2) == 0) {
            at = find_value(filling, at + 2, &value, err);
            if (!at)
                return false;
            char *text OWN(own_mem) = value_text(value);
            add(filling, text, strlen(text));
        } else if (*at) {
            add(filling, at++, 1);
        }
    }
    return true;
}

static bool fill_string(const struct part *part, const json_t *values, json_t **out,
                        struct err *err)
{
    const char *text = json_string_value(part->json);
    struct filling filling = {.part = part, .values = values};
    const size_t size = strlen(text);
    if (strncmp(text, "${", 2) == 0 && text[strcspn(text, "}")] && text[size - 1] == '}' &&
        strcspn(text, "}") == size - 1) {
        json_t *value = NULL;
        if (!find_value(&filling, text + 2, &value, err))
            return false;
        *out = json_incref(value);
        return true;
    }
    const bool is_done = fill_text(&filling, text, err);
    if (is_done)
        *out = json_stringn(filling.text, filling.size);
    free(filling.text);
    return is_done;
}

static bool fill_object(const struct part *part, const json_t *values, json_t *into,
                        struct err *err)
{
    const char *key;
    json_t *value;
    json_object_foreach(part->json, key, value)
    {
        struct where where;
        json_t *filled = NULL;
        const struct part member = part_member(part, key, &where);
        if (!parameters_fill(&member, values, &filled, err))
            return false;
        json_object_set_new(into, key, filled);
    }
    return true;
}

static bool fill_array(const struct part *part, const json_t *values, json_t *into, struct err *err)
{
    for (size_t i = 0; i < json_array_size(part->json); i++) {
        struct where where;
        json_t *filled = NULL;
        const struct part item = part_item(part, i, &where);
        if (!parameters_fill(&item, values, &filled, err))
            return false;
        json_array_append_new(into, filled);
    }
    return true;
}

bool parameters_fill(const struct part *part, const json_t *values, json_t **out, struct err *err)
{
    if (json_is_string(part->json))
        return fill_string(part, values, out, err);
    if (!json_is_object(part->json) && !json_is_array(part->json)) {
        *out = json_incref(part->json);
        return true;
    }
    const bool is_object = json_is_object(part->json);
    json_t *copy = is_object ? json_object() : json_array();
    if (!(is_object ? fill_object(part, values, copy, err) : fill_array(part, values, copy, err))) {
        json_decref(copy);
        return false;
    }
    *out = copy;
    return true;
}

char *parameters_label(json_t *values)
{
    const char *name;
    json_t *value;
    char *label = mem_string("");
    json_object_foreach(values, name, value)
    {
        char *text OWN(own_mem) = value_text(value);
        char *longer = mem_format("%s%s%s=%s", label, *label ? "," : "[", name, text);
        free(label);
        label = longer;
    }
    if (!*label)
        return label;
    char *closed = mem_format("%s]", label);
    free(label);
    return closed;
}
