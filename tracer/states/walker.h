/* walker.h - a tree that goes from state to state through a trace, in order of crash points.
 *
 * One walk meets all states: each op is applied once, and what a variant adds is taken back before
 * the walk goes on. */
#ifndef STATES_WALKER_H
#define STATES_WALKER_H

#include "tracer/trace/verdict.h"

struct walker;
struct walker *walker_new(const struct trace *trace);
void walker_free(struct walker *walker);

/* The walker's tree becomes the given state, whose op must not lie before the last one. */
MUST_USE bool walker_to(struct walker *walker, const struct state *state, struct err *err);

/* The tree stands at position k (ops [0, k) done), nothing else applied. */
MUST_USE bool walker_to_position(struct walker *walker, uint32_t k, struct err *err);

/* The same inside a recovery (its number in the trace): it stands on its crash state, with the
 * first k ops of the recovery done. Recoveries, and positions in one, come in growing order too. */
MUST_USE bool walker_to_recovery(struct walker *walker, uint32_t recovery, uint32_t k,
                                 struct err *err);

/* The tree, to be read, and to be followed by one disk mirror. It stays the same object for the
 * walker's whole life. */
struct tree *walker_tree(struct walker *walker);

#endif
