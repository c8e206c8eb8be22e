#include "model_kill.h"

#include <stdlib.h>

#include "tracer/base/mem.h"

static bool is_point(const struct trace *trace, uint32_t k)
{
    if (k == trace->initial)
        return true;
    const struct op *last = &trace->ops[k - 1];
    return op_is_crash_point(last) && !(last->flags & OP_MORE);
}

static uint64_t count(const struct trace *trace, uint32_t k)
{
    return is_point(trace, k) ? 1 : 0;
}

static size_t pick(const struct trace *trace, uint32_t k, size_t max, uint64_t *out)
{
    if (max == 0 || !is_point(trace, k))
        return 0;
    out[0] = 0;
    return 1;
}

static bool is_sync(const struct op *op)
{
    return op->kind == OP_SYNC || op->kind == OP_SYNC_MAP || op->kind == OP_SYNC_ALL;
}

/* What a sync separates is what a worker relies on: both sides of each come first. */
static unsigned rank(const struct trace *trace, uint32_t k, uint64_t variant)
{
    (void)variant;
    const bool is_after = k > trace->initial && is_sync(&trace->ops[k - 1]);
    const bool is_before = k < trace->count && is_sync(&trace->ops[k]);
    const bool is_end = k == trace->initial || k == trace->count;
    return is_after || is_before || is_end ? 0 : 1;
}

static bool apply(struct tree *tree, const struct trace *trace, uint32_t k, uint64_t variant,
                  struct err *err)
{
    (void)tree, (void)trace, (void)k, (void)variant, (void)err;
    return true;
}

static char *describe(const struct trace *trace, uint32_t k, uint64_t variant)
{
    (void)variant;
    if (k == trace->initial)
        return mem_string("before the first op");
    const struct op *last = &trace->ops[k - 1];
    char *what = trace_sentence(trace, last);
    char *text = mem_format("after op %u: %s", k - trace->initial, what);
    free(what);
    return text;
}

const struct model model_kill = {
    .kind = MODEL_KILL,
    .count = count,
    .pick = pick,
    .rank = rank,
    .apply = apply,
    .describe = describe,
};
