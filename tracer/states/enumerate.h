/* enumerate.h - which crash states a trace has, and which of them are to be checked. */
#ifndef STATES_ENUMERATE_H
#define STATES_ENUMERATE_H

#include <signal.h>

#include "tracer/trace/verdict.h"

struct enumerate_options {
    bool wanted[MODEL_COUNT];
    uint64_t budget;        /* different states for each model; 0: all */
    uint32_t shard, shards; /* this one of how many; 0 of 1: all. By hash, so that shards are
                               disjoint and together whole */
    const volatile sig_atomic_t *interrupted; /* may be NULL */
};

/* Gives the states to be checked, in order of crash point (so that one walk through the trace meets
 * them all), equal ones merged: a state that several models have belongs to the first of them. The
 * caller frees *out. counts: one for each model; legal, tried and distinct are filled. */
MUST_USE bool enumerate(const struct trace *trace, const struct enumerate_options *options,
                        struct state **out, size_t *count, struct model_counts *counts,
                        struct err *err);

/* A tree that goes from state to state through a trace, in order of crash points. */
struct walker;
struct walker *walker_new(const struct trace *trace);
void walker_free(struct walker *walker);

/* The walker's tree becomes the given state. Going back is an err: states
 * are to be visited in order. */
MUST_USE bool walker_to(struct walker *walker, const struct state *state, struct err *err);

/* The tree, to be read, and to be followed by one disk mirror. It stays the same object for the
 * walker's whole life. */
struct tree *walker_tree(struct walker *walker);

/* What the state is, for people. Caller frees. */
char *state_describe(const struct trace *trace, const struct state *state);

#endif
