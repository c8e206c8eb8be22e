/* model.h - what a crash takes away: each model is a struct of functions over one trace.
 *
 * At a position k of the trace (ops [0, k) done) a model has variants, numbered as it likes; each
 * is one legal crash state. To add a model: write a struct model, list it in
 * model_of. */
#ifndef STATES_MODEL_H
#define STATES_MODEL_H

#include "tracer/trace/verdict.h"

enum { RANKS = 4 };

/* Which state of a model: its position and its variant. */
struct model_place {
    uint32_t k;
    uint64_t variant;
};

struct model {
    enum model_kind kind;

    /* How many variants there are at position k (any op index from trace->initial up to
     * trace->count). Exact. */
    uint64_t (*count)(const struct trace *trace, uint32_t k);

    /* Up to `max` different variants at k, all when there are no more: the ends of a write, page
     * edges and sector edges first, the rest spread evenly. Returns how many it put into out, in
     * growing order. */
    size_t (*pick)(const struct trace *trace, uint32_t k, size_t max, uint64_t *out);

    /* How interesting a variant is when the budget forces a choice: 0 first, below RANKS. */
    unsigned (*rank)(const struct trace *trace, uint32_t k, uint64_t variant);

    /* Puts a tree that stands at k into the state of a variant. The caller has marked the tree. */
    bool (*apply)(struct tree *tree, const struct trace *trace, uint32_t k, uint64_t variant,
                  struct err *err);

    /* What this variant is, for people: "17 of 100 bytes of the write to db". Caller frees. */
    char *(*describe)(const struct trace *trace, uint32_t k, uint64_t variant);
};

const struct model *model_of(enum model_kind kind);

/* Puts a tree that stands at k wholly into the state: what the model's apply does, and what the
 * death of the worker does to its locks. */
MUST_USE bool model_apply(const struct model *model, struct tree *tree, const struct trace *trace,
                          struct model_place place, struct err *err);

#endif
