/* model.h - what a crash takes away: each model is a struct of functions over one trace.
 *
 * At a crash point k (ops [0, k) done, see trace.h) a model has variants, numbered from 0 or 1 as
 * it says; each is one legal crash state. To add a model: write a struct model, list it in
 * model_of. */
#ifndef STATES_MODEL_H
#define STATES_MODEL_H

#include "tracer/trace/verdict.h"

struct model {
    enum model_kind kind;

    /* How many variants there are at crash point k. Exact. */
    uint64_t (*count)(const struct trace *trace, uint32_t k);

    /* The i-th variant (i < count) at k, in order of interest: when the budget takes only n of
     * them, it takes those of i = 0 to n - 1. */
    uint64_t (*pick)(const struct trace *trace, uint32_t k, uint64_t i);

    /* Puts a tree that stands at k into the state of a variant. The caller has marked the tree. */
    bool (*apply)(struct tree *tree, const struct trace *trace, uint32_t k, uint64_t variant,
                  struct err *err);

    /* What this variant is, for people: "17 of 100 bytes of the write to db". Caller frees. */
    char *(*describe)(const struct trace *trace, uint32_t k, uint64_t variant);
};

const struct model *model_of(enum model_kind kind);

#endif
