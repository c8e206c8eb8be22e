/* store_rows.h - arrays of plain structs as tables of run.db: a row for each item, a column for
 * each field. One description of the fields serves writing and reading, so they cannot disagree. */
#ifndef TRACE_STORE_ROWS_H
#define TRACE_STORE_ROWS_H

#include <stddef.h>

#include "store_query.h"

/* An unsigned integer of 1, 2, 4 or 8 bytes, or a signed one of 8. */
struct store_field {
    const char *column;
    uint16_t at;
    uint8_t size;
};
#define STORE_FIELD(type, field)                                                                   \
    {                                                                                              \
#field, offsetof(struct type, field), sizeof((struct type){0}.field)                       \
    }

/* The table has a column `id`, the item's place in the array, and these. */
struct store_rows {
    const char *table;
    size_t item_size;
    const struct store_field *fields;
    size_t fields_count;
};

MUST_USE bool store_rows_write(struct store *store, const struct store_rows *rows,
                               const void *items, size_t count, struct err *err);

/* The caller frees *items. Rows that do not count from 0 without a gap: the run is damaged. */
MUST_USE bool store_rows_read(struct store *store, const struct store_rows *rows, void **items,
                              uint32_t *count, struct err *err);

#endif
