#include "nearest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 40 };

static size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* One cell of the table of distances between the first i letters of a and the first j of b. */
static size_t cell(size_t table[WORD_MAX + 1][WORD_MAX + 1], const char *a, const char *b, size_t i,
                   size_t j)
{
    size_t best = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
    best = min_size(best, table[i - 1][j] + 1);
    best = min_size(best, table[i][j - 1] + 1);
    const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
    return is_swap ? min_size(best, table[i - 2][j - 2] + 1) : best;
}

size_t nearest_distance(const char *a, const char *b)
{
    const size_t a_size = strlen(a);
    const size_t b_size = strlen(b);
    if (a_size > WORD_MAX || b_size > WORD_MAX)
        return SIZE_MAX;
    size_t table[WORD_MAX + 1][WORD_MAX + 1] = {{0}};
    for (size_t i = 0; i <= a_size; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= b_size; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        for (size_t j = 1; j <= b_size; j++)
            table[i][j] = cell(table, a, b, i, j);
    }
    return table[a_size][b_size];
}

const char *nearest_word(const char *word, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    /* A third of the letters wrong is a slip; more is another word. */
    size_t limit = strlen(word) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = nearest_distance(word, candidates[i]);
        if (distance > limit || (best != NULL && distance == limit))
            continue;
        best = candidates[i];
        limit = distance;
    }
    return best;
}
