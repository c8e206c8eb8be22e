/* candidates.h - the different states that were met, and the choice among them when they are too
 * many.
 *
 * A pair is a crash point and a variant; pairs with equal states (files and promises) are one
 * candidate. The weakest model that has it owns it, at the first place where it was met. */
#ifndef STATES_CANDIDATES_H
#define STATES_CANDIDATES_H

#include "model.h"
#include "tracer/base/map.h"

struct candidate {
    struct state state;
    uint8_t rank[MODEL_COUNT]; /* best of its pairs */
    bool is_chosen;
    bool is_known; /* somebody has checked it already */
};

struct candidates {
    struct candidate *items;
    size_t count, capacity;
    struct map by_hash;          /* hash to index, probed upwards */
    uint64_t known[MODEL_COUNT]; /* pairs whose state is known */
};

/* {0} is empty. */
void candidates_fini(struct candidates *candidates);

/* The state was checked before: pairs with it are counted, and it is never chosen. */
void candidates_know(struct candidates *candidates, const struct state *state);

/* One more pair, its hash filled, of this rank. */
void candidates_add(struct candidates *candidates, const struct state *pair, unsigned rank);

/* Chooses until `budget` (0: all) different states of the model are chosen: lower ranks first,
 * evenly within a rank. */
void candidates_choose(struct candidates *candidates, enum model_kind kind, uint64_t budget);

/* The chosen ones, in the order of their places. Caller frees *out. */
size_t candidates_take(const struct candidates *candidates, struct state **out);

#endif
