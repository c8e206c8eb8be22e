/* store_value.h - single numbers, and lists of lines, of a run. */
#ifndef TRACE_STORE_VALUE_H
#define TRACE_STORE_VALUE_H

#include <stddef.h>

#include "store_query.h"
#include "verdict.h"

MUST_USE bool store_number_set(struct store *store, const char *name, uint64_t value,
                               struct err *err);
/* A missing one: the run is damaged. */
MUST_USE bool store_number_get(struct store *store, const char *name, uint64_t *out,
                               struct err *err);

/* Several at once. Ends with a NULL name. */
struct store_number {
    const char *name;
    uint64_t value;
};
MUST_USE bool store_numbers_set(struct store *store, const struct store_number *numbers,
                                struct err *err);
MUST_USE bool store_numbers_get(struct store *store, struct store_number *numbers, struct err *err);

/* Replaces the lines of a topic. */
MUST_USE bool store_lines_set(struct store *store, const char *topic, char *const *lines,
                              size_t count, struct err *err);
/* *lines ends with a NULL that *count does not count; the caller frees all. */
MUST_USE bool store_lines_get(struct store *store, const char *topic, char ***lines, size_t *count,
                              struct err *err);
void store_lines_free(char **lines); /* accepts NULL */

/* The model of a name; false: this brink has none of that name. */
bool store_model_of(const char *name, enum model_kind *out);

#endif
