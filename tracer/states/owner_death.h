/* owner_death.h - what the kernel does to robust mutexes when the worker dies.
 *
 * Every model in which the worker's threads die has it in its states: after everything else. */
#ifndef STATES_OWNER_DEATH_H
#define STATES_OWNER_DEATH_H

#include "tracer/trace/tree.h"

/* Marks the words in the tree whose holders die at position k of the trace (its view, for a
 * recovery). Costs nothing when the trace has no such words. */
MUST_USE bool owner_death_apply(struct tree *tree, const struct trace *trace, uint32_t k,
                                struct err *err);

#endif
