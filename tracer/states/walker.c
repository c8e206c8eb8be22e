#include "walker.h"

#include <stdlib.h>

#include "model.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/trace/recoveries.h"

struct walker {
    const struct trace *trace;
    struct tree *tree;
    uint32_t at;        /* ops [0, at) are applied */
    uint32_t recovery;  /* the one that we are in, plus one; 0: none */
    uint32_t recovered; /* ops of it that are applied, behind its crash state */
    bool is_varied;
};

struct walker *walker_new(const struct trace *trace)
{
    struct walker *walker = mem_new(1, sizeof *walker);
    walker->trace = trace;
    walker->tree = tree_new(trace);
    return walker;
}

void walker_free(struct walker *walker)
{
    if (!walker)
        return;
    tree_free(walker->tree);
    free(walker);
}

struct tree *walker_tree(struct walker *walker)
{
    return walker->tree;
}

static void drop_variant(struct walker *walker)
{
    if (walker->is_varied)
        tree_undo(walker->tree);
    walker->is_varied = false;
}

static void leave_recovery(struct walker *walker)
{
    drop_variant(walker);
    if (walker->recovery != 0)
        tree_undo(walker->tree);
    walker->recovery = 0;
    walker->recovered = 0;
}

bool walker_to_position(struct walker *walker, uint32_t k, struct err *err)
{
    CHECK(k >= walker->at && k <= walker->trace->count);
    leave_recovery(walker);
    for (; walker->at < k; walker->at++) {
        if (!tree_apply(walker->tree, &walker->trace->ops[walker->at], err))
            return false;
    }
    return true;
}

/* Applies what a state has besides the ops before it. */
static bool vary(struct walker *walker, const struct trace *trace, const struct state *state,
                 struct err *err)
{
    tree_mark(walker->tree);
    const struct model_place place = {state->op, state->variant};
    return model_apply(model_of(state->model), walker->tree, trace, place, err);
}

static bool enter_recovery(struct walker *walker, uint32_t recovery, struct err *err)
{
    const struct trace_recovery *about = &walker->trace->recoveries[recovery];
    const struct state base = {.model = about->model, .op = about->op, .variant = about->variant};
    if (!walker_to_position(walker, base.op, err))
        return false;
    walker->recovery = recovery + 1;
    return vary(walker, walker->trace, &base, err);
}

bool walker_to_recovery(struct walker *walker, uint32_t recovery, uint32_t k, struct err *err)
{
    CHECK(recovery < walker->trace->recoveries_count);
    const struct trace recovered = recoveries_trace(walker->trace, recovery);
    drop_variant(walker);
    if (walker->recovery != recovery + 1 && !enter_recovery(walker, recovery, err))
        return false;
    CHECK(k >= walker->recovered && k <= recovered.count);
    for (; walker->recovered < k; walker->recovered++) {
        if (!tree_apply(walker->tree, &recovered.ops[walker->recovered], err))
            return err_while(err, "recovery %u", recovery);
    }
    return true;
}

bool walker_to(struct walker *walker, const struct state *state, struct err *err)
{
    struct trace trace = *walker->trace;
    if (state->recovery == 0 ? !walker_to_position(walker, state->op, err)
                             : !walker_to_recovery(walker, state->recovery - 1, state->op, err))
        return false;
    if (state->recovery != 0)
        trace = recoveries_trace(walker->trace, state->recovery - 1);
    walker->is_varied = true;
    return vary(walker, &trace, state, err);
}
