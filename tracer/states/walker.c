#include "walker.h"

#include <stdlib.h>

#include "model.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"

struct walker {
    const struct trace *trace;
    struct tree *tree;
    uint32_t at; /* ops [0, at) are applied */
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

bool walker_to_position(struct walker *walker, uint32_t k, struct err *err)
{
    CHECK(k >= walker->at && k <= walker->trace->count);
    drop_variant(walker);
    for (; walker->at < k; walker->at++) {
        if (!tree_apply(walker->tree, &walker->trace->ops[walker->at], err))
            return false;
    }
    return true;
}

bool walker_to(struct walker *walker, const struct state *state, struct err *err)
{
    if (!walker_to_position(walker, state->op, err))
        return false;
    tree_mark(walker->tree);
    walker->is_varied = true;
    return model_of(state->model)
        ->apply(walker->tree, walker->trace, state->op, state->variant, err);
}
