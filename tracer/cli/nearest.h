/* nearest.h - which known word a user most likely meant. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* How many letters must be added, taken out, changed or swapped with their neighbour to turn one
 * word into the other. Words over 40 bytes are all far apart. */
size_t nearest_distance(const char *a, const char *b);

/* The candidate that is nearest to the word, the first of equals, or NULL when none is near enough
 * to be worth a suggestion. */
const char *nearest_word(const char *word, const char *const *candidates, size_t count);

#endif
