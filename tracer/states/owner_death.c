#include "owner_death.h"

#include <string.h>

#include "tracer/trace/robust_place.h"

/* A word that is not in the file at this time is no word: *word is 0, which nobody holds. */
static bool read_word(const struct tree *tree, const struct robust_place *place, uint32_t *word,
                      struct err *err)
{
    uint8_t bytes[sizeof *word];
    size_t got = 0;
    *word = 0;
    if (tree_node(tree, place->node) == NULL)
        return true;
    if (!tree_read(tree, place->node, place->offset, bytes, sizeof bytes, &got, err))
        return err_while(err, "read the word of a robust mutex");
    if (got == sizeof bytes)
        memcpy(word, bytes, sizeof bytes);
    return true;
}

bool owner_death_apply(struct tree *tree, const struct trace *trace, uint32_t k, struct err *err)
{
    uint32_t count = 0;
    if (trace->robust_count == 0)
        return true;
    const struct robust_place *places = robust_places(trace, trace->recovery, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word;
        struct op store;
        if (!read_word(tree, &places[i], &word, err))
            return false;
        if (!robust_place_store(&places[i], word, k, &store))
            continue;
        store.time_ns = k > 0 ? trace->ops[k - 1].time_ns : 0;
        if (!tree_apply(tree, &store, err))
            return err_while(err, "mark a robust mutex whose holder died");
    }
    return true;
}
