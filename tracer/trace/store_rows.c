#include "store_rows.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static uint64_t load(const char *from, size_t size)
{
    uint64_t value = 0;
    CHECK(size <= sizeof value);
    memcpy(&value, from, size); /* x86-64: the low bytes come first */
    return value;
}

static char *columns(const struct store_rows *rows)
{
    char *list = mem_string("id");
    for (size_t i = 0; i < rows->fields_count; i++) {
        char *longer = mem_format("%s, \"%s\"", list, rows->fields[i].column);
        free(list);
        list = longer;
    }
    return list;
}

static char *insert_sql(const struct store_rows *rows)
{
    char *list OWN(own_mem) = columns(rows);
    char *places OWN(own_mem) = mem_new(rows->fields_count * 2 + 1, 1);
    for (size_t i = 0; i < rows->fields_count * 2; i += 2) {
        places[i] = ',';
        places[i + 1] = '?';
    }
    return mem_format("INSERT INTO %s(%s) VALUES(?%s)", rows->table, list, places);
}

bool store_rows_write(struct store *store, const struct store_rows *rows, const void *items,
                      size_t count, struct err *err)
{
    char *sql OWN(own_mem) = insert_sql(rows);
    struct query query OWN(query_close) = {0};
    if (!query_open(store, sql, &query, err))
        return false;
    for (size_t row = 0; row < count; row++) {
        const char *item = (const char *)items + row * rows->item_size;
        query_put(&query, row);
        for (size_t i = 0; i < rows->fields_count; i++)
            query_put(&query, load(item + rows->fields[i].at, rows->fields[i].size));
        if (!query_done(&query, err))
            return false;
    }
    return true;
}

/* Whether the row fits its fields, and is the one that comes next. */
static bool take_row(struct query *query, const struct store_rows *rows, uint64_t row, char *item)
{
    bool fits = query_take(query) == row && row < UINT32_MAX;
    for (size_t i = 0; i < rows->fields_count; i++) {
        const struct store_field *field = &rows->fields[i];
        const uint64_t value = query_take(query);
        fits = fits && (field->size == sizeof value || value >> (field->size * 8) == 0);
        memcpy(item + field->at, &value, field->size);
    }
    return fits;
}

bool store_rows_read(struct store *store, const struct store_rows *rows, void **items,
                     uint32_t *count, struct err *err)
{
    char *list OWN(own_mem) = columns(rows);
    char *sql OWN(own_mem) = mem_format("SELECT %s FROM %s ORDER BY id", list, rows->table);
    struct query query OWN(query_close) = {0};
    if (!query_open(store, sql, &query, err))
        return false;
    char *table OWN(own_mem) = NULL;
    size_t capacity = 0;
    for (uint32_t row = 0;; row++) {
        bool has_row = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row) {
            *items = table;
            *count = row;
            table = NULL;
            return true;
        }
        mem_grow(&table, &capacity, (size_t)row + 1, rows->item_size);
        char *item = table + row * rows->item_size;
        memset(item, 0, rows->item_size);
        if (!take_row(&query, rows, row, item))
            return err_usage(err, "run.db is damaged: a row of the table %s", rows->table);
    }
}
