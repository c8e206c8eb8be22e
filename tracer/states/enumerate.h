/* enumerate.h - which crash states a trace has, and which of them are to be checked. */
#ifndef STATES_ENUMERATE_H
#define STATES_ENUMERATE_H

#include <signal.h>

#include "tracer/trace/verdict.h"
#include "walker.h"

struct enumerate_options {
    bool wanted[MODEL_COUNT];
    uint64_t budget;        /* different states for each model; 0: all */
    uint32_t shard, shards; /* this one of how many; 0 of 1: all. By id, so that shards are
                               disjoint and together whole */
    const volatile sig_atomic_t *interrupted; /* may be NULL */
    bool want_recoveries; /* the states of the trace's recoveries instead of the worker's own */
    const struct state *known; /* checked before; equal ones are counted, not chosen again */
    size_t known_count;
};

/* The states to be checked, in order of crash point (so that one walk through the trace meets them
 * all), equal ones merged: a state that several models have belongs to the weakest of them. counts:
 * legal, tried, known and distinct are filled. */
struct enumerated {
    struct state *states; /* the caller frees it */
    size_t count;
    struct model_counts counts[MODEL_COUNT];
};
MUST_USE bool enumerate(const struct trace *trace, const struct enumerate_options *options,
                        struct enumerated *out, struct err *err);

/* The hash of a state, of its tree and its promises. */
struct tree_hash state_hash(const struct tree *tree, struct trace_promised promised);

/* What the state is, for people. Caller frees. */
char *state_describe(const struct trace *trace, const struct state *state);

#endif
