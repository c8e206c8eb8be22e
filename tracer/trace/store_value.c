#include "store_value.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/mem.h"

bool store_number_set(struct store *store, const char *name, uint64_t value, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "INSERT OR REPLACE INTO value VALUES(?, ?)", &query, err))
        return false;
    query_put_text(&query, name);
    query_put(&query, value);
    return query_done(&query, err);
}

bool store_number_get(struct store *store, const char *name, uint64_t *out, struct err *err)
{
    struct query query OWN(query_close) = {0};
    bool has_row = false;
    if (!query_open(store, "SELECT value FROM value WHERE name = ?", &query, err))
        return false;
    query_put_text(&query, name);
    if (!query_next(&query, &has_row, err))
        return false;
    if (!has_row)
        return err_usage(err, "the run is not complete: run.db has no %s", name);
    *out = query_take(&query);
    return true;
}

bool store_numbers_set(struct store *store, const struct store_number *numbers, struct err *err)
{
    for (; numbers->name; numbers++) {
        if (!store_number_set(store, numbers->name, numbers->value, err))
            return false;
    }
    return true;
}

bool store_numbers_get(struct store *store, struct store_number *numbers, struct err *err)
{
    for (; numbers->name; numbers++) {
        if (!store_number_get(store, numbers->name, &numbers->value, err))
            return false;
    }
    return true;
}

static bool remove_lines(struct store *store, const char *topic, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "DELETE FROM line WHERE topic = ?", &query, err))
        return false;
    query_put_text(&query, topic);
    return query_done(&query, err);
}

bool store_lines_set(struct store *store, const char *topic, char *const *lines, size_t count,
                     struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!remove_lines(store, topic, err) ||
        !query_open(store, "INSERT INTO line VALUES(?, ?, ?)", &query, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        query_put_text(&query, topic);
        query_put(&query, i);
        query_put_text(&query, lines[i]);
        if (!query_done(&query, err))
            return false;
    }
    return true;
}

void store_lines_free(char **lines)
{
    for (char **line = lines; line && *line; line++)
        free(*line);
    free(lines);
}

static void own_lines(char ***lines)
{
    store_lines_free(*lines);
}

bool store_lines_get(struct store *store, const char *topic, char ***lines, size_t *count,
                     struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "SELECT text FROM line WHERE topic = ? ORDER BY position", &query, err))
        return false;
    query_put_text(&query, topic);
    size_t capacity = 0, filled = 0;
    char **list OWN(own_lines) = NULL;
    mem_grow(&list, &capacity, 1, sizeof *list);
    list[0] = NULL;
    for (;;) {
        bool has_row = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row)
            break;
        mem_grow(&list, &capacity, filled + 2, sizeof *list);
        list[filled++] = mem_string(query_borrow_text(&query));
        list[filled] = NULL;
    }
    *lines = list;
    *count = filled;
    list = NULL;
    return true;
}

bool store_model_of(const char *name, enum model_kind *out)
{
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (strcmp(name, model_name((enum model_kind)i)) == 0) {
            *out = (enum model_kind)i;
            return true;
        }
    }
    return false;
}
