/* stores.h - torn states of stores through a shared mapping.
 *
 * A group is what was stored between two calls: ops of kind OP_STORE, one for each page, all but
 * the last with OP_MORE, without order among themselves. At the first op of a group these give its
 * torn variants; elsewhere there are none. */
#ifndef STATES_STORES_H
#define STATES_STORES_H

#include "tracer/trace/tree.h"

uint64_t stores_count(const struct trace *trace, uint32_t k);
size_t stores_pick(const struct trace *trace, uint32_t k, size_t max, uint64_t *out);
unsigned stores_rank(uint64_t variant);
MUST_USE bool stores_apply(struct tree *tree, const struct trace *trace, uint32_t k,
                           uint64_t variant, struct err *err);
/* Caller frees. */
char *stores_describe(const struct trace *trace, uint32_t k, uint64_t variant);

#endif
