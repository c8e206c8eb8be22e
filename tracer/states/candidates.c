#include "candidates.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"

void candidates_fini(struct candidates *candidates)
{
    free(candidates->items);
    map_fini(&candidates->by_hash);
    *candidates = (struct candidates){0};
}

static struct candidate *find_or_add(struct candidates *candidates, struct tree_hash hash)
{
    uint64_t at;
    uint64_t key = hash.low;
    while (map_get(&candidates->by_hash, key, &at)) {
        if (tree_hash_equal(candidates->items[at].state.hash, hash))
            return &candidates->items[at];
        key++;
    }
    map_put(&candidates->by_hash, key, candidates->count);
    mem_grow(&candidates->items, &candidates->capacity, candidates->count + 1,
             sizeof *candidates->items);
    struct candidate *added = &candidates->items[candidates->count++];
    *added = (struct candidate){.state = {.hash = hash, .model = MODEL_COUNT}};
    memset(added->rank, RANKS, sizeof added->rank);
    return added;
}

void candidates_know(struct candidates *candidates, const struct state *state)
{
    find_or_add(candidates, state->hash)->is_known = true;
}

void candidates_add(struct candidates *candidates, const struct state *pair, unsigned rank)
{
    struct candidate *item = find_or_add(candidates, pair->hash);
    CHECK(rank < RANKS);
    if (item->is_known) {
        candidates->known[pair->model]++;
        return;
    }
    if (pair->model < item->state.model) {
        uint32_t pairs[MODEL_COUNT];
        memcpy(pairs, item->state.pairs, sizeof pairs);
        item->state = *pair;
        memcpy(item->state.pairs, pairs, sizeof pairs);
    }
    item->state.pairs[pair->model]++;
    if (rank < item->rank[pair->model])
        item->rank[pair->model] = (uint8_t)rank;
}

/* Chooses `wanted` of the states of a model that have this rank and are not chosen yet, evenly. */
static void choose_evenly(struct candidates *candidates, enum model_kind kind, unsigned rank,
                          uint64_t wanted)
{
    uint64_t total = 0;
    for (size_t i = 0; i < candidates->count; i++)
        total += !candidates->items[i].is_chosen && candidates->items[i].rank[kind] == rank;
    uint64_t seen = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        struct candidate *item = &candidates->items[i];
        if (item->is_chosen || item->rank[kind] != rank)
            continue;
        item->is_chosen = total <= wanted || (seen + 1) * wanted / total > seen * wanted / total;
        seen++;
    }
}

static uint64_t chosen_of(const struct candidates *candidates, enum model_kind kind)
{
    uint64_t total = 0;
    for (size_t i = 0; i < candidates->count; i++)
        total += candidates->items[i].is_chosen && candidates->items[i].state.pairs[kind];
    return total;
}

void candidates_choose(struct candidates *candidates, enum model_kind kind, uint64_t budget)
{
    const uint64_t limit = budget ? budget : UINT64_MAX;
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const uint64_t chosen = chosen_of(candidates, kind);
        if (chosen < limit)
            choose_evenly(candidates, kind, rank, limit - chosen);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct state *x = a;
    const struct state *y = b;
    if (x->recovery != y->recovery)
        return x->recovery < y->recovery ? -1 : 1;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return x->variant < y->variant ? -1 : x->variant > y->variant;
}

size_t candidates_take(const struct candidates *candidates, struct state **out)
{
    struct state *states = mem_new(candidates->count, sizeof *states);
    size_t count = 0;
    for (size_t i = 0; i < candidates->count; i++) {
        if (candidates->items[i].is_chosen)
            states[count++] = candidates->items[i].state;
    }
    qsort(states, count, sizeof *states, by_place);
    *out = states;
    return count;
}
