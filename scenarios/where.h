/* where.h - a place inside a JSON document: the keys and indexes that lead to it.
 *
 * A chain of plain structs on the stack: each reader of a part puts one link in front of its
 * caller's. An error names the place as `steps[2].exit` and as line and column of the file. */
#ifndef SCENARIOS_WHERE_H
#define SCENARIOS_WHERE_H

#include <stdbool.h>
#include <stddef.h>

struct where {
    const struct where *up; /* NULL: the document itself */
    const char *key;        /* NULL: an element of an array, by index */
    size_t index;
};

/* "steps[2].exit"; "" for the document itself (NULL). Caller frees. */
char *where_text(const struct where *where);

struct where_position {
    size_t line, column; /* both from 1; columns count characters */
};

/* Finds the place in a text that is valid JSON: the key of a member, the value of an element. When
 * it is not there the nearest place around it is given, and false. */
bool where_find(const char *text, const struct where *where, struct where_position *out);

#endif
