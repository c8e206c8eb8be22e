/* strings.h - every different string once, under a small number.
 *
 * Names and paths of a trace repeat; an op keeps their numbers. Number 0 is the empty string.
 * Strings may hold any byte but NUL, which is what the kernel allows in a name. */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"

struct strings {
    char **items;
    size_t count;
    size_t capacity;
    struct map by_hash; /* hash of the text to the number of its first holder, probed upwards */
};

/* {0} is a valid empty table. */
void strings_fini(struct strings *strings);

/* The number of a string; adds it when it is new. */
uint32_t strings_add(struct strings *strings, const char *text);
uint32_t strings_add_range(struct strings *strings, const char *text, size_t size);

/* The number of a string that is there already; false: it is not. */
bool strings_find(const struct strings *strings, const char *text, uint32_t *out);

/* The string of a number that strings_add gave. Lives as long as the table. */
const char *strings_get(const struct strings *strings, uint32_t number);

#endif
