/* part.h - one value of a scenario, with the place where it stands: typed access for readers.
 *
 * The readers of all sections use these, so that every mistake is told in the same words. Texts are
 * borrowed from the JSON. A member that is not there leaves *out as it was. */
#ifndef SCENARIOS_PART_H
#define SCENARIOS_PART_H

#include <stdint.h>

#include "source.h"

struct part {
    const struct source *source;
    const struct where *where;
    json_t *json; /* NULL: it is not there */
};

/* Fills *err; returns false. */
bool part_fault(const struct part *part, struct err *err, const char *fmt, ...) PRINTF(3, 4);
/* The same for a member of it. */
bool part_fault_at(const struct part *part, const char *key, struct err *err, const char *fmt, ...)
    PRINTF(4, 5);

/* It must be an object, and its keys among these (the list ends with NULL). */
MUST_USE bool part_keys(const struct part *part, const char *const *allowed, struct err *err);

/* A member; where is storage for its place. */
struct part part_member(const struct part *part, const char *key, struct where *where);
struct part part_item(const struct part *part, size_t index, struct where *where);
bool part_has(const struct part *part, const char *key);

/* Members with a value of one type. */
MUST_USE bool part_text(const struct part *part, const char *key, const char **out,
                        struct err *err);
struct part_range {
    int64_t min, max;
};
MUST_USE bool part_number(const struct part *part, const char *key, struct part_range range,
                          int64_t *out, struct err *err);
MUST_USE bool part_flag(const struct part *part, const char *key, bool *out, struct err *err);
/* One of several words (the list ends with NULL); *out is its number. */
MUST_USE bool part_choice(const struct part *part, const char *key, const char *const *words,
                          unsigned *out, struct err *err);

/* A member that must be there. */
MUST_USE bool part_needs(const struct part *part, const char *key, struct err *err);

/* The member must be an array, not empty, when it is there; *count is 0 otherwise. */
MUST_USE bool part_count(const struct part *part, const char *key, size_t *count, struct err *err);

#endif
