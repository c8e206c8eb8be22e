#include "model_torn.h"

#include <stdlib.h>
#include <sys/syscall.h>

#include "stores.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"

static bool is_torn_write(const struct trace *trace, uint32_t k)
{
    if (k < trace->initial || k >= trace->count)
        return false;
    const struct op *op = &trace->ops[k];
    const bool is_part =
        (op->flags & OP_MORE) || (k > trace->initial && (trace->ops[k - 1].flags & OP_MORE));
    return op_can_tear(op) && !is_part && op->call != SYS_ioctl && op->payload_size > 1;
}

static uint64_t count(const struct trace *trace, uint32_t k)
{
    if (is_torn_write(trace, k))
        return trace->ops[k].payload_size - 1;
    return stores_count(trace, k);
}

bool model_torn_is_page_edge(const struct op *op, uint64_t bytes)
{
    return (op->offset + bytes) % PAGE_BYTES == 0;
}

static unsigned rank(const struct trace *trace, uint32_t k, uint64_t variant)
{
    if (!is_torn_write(trace, k))
        return stores_rank(variant);
    const struct op *op = &trace->ops[k];
    if (variant == 1 || variant == op->payload_size - 1)
        return 0;
    if (model_torn_is_page_edge(op, variant))
        return 1;
    return (op->offset + variant) % SECTOR_SIZE == 0 ? 2 : 3;
}

/* Lengths at which the write crosses a multiple of `unit` in the file: first, first + unit, ... */
struct edges {
    uint64_t first, count;
};

static struct edges edges_of(const struct op *op, uint64_t unit)
{
    const uint64_t first = unit - op->offset % unit;
    const uint64_t last = op->payload_size - 1;
    return (struct edges){first, first > last ? 0 : (last - first) / unit + 1};
}

struct picked {
    uint64_t *out;
    size_t count, max;
};

/* Adds `wanted` of `total` numbers first + i * step, spread evenly. */
static void add_even(struct picked *picked, uint64_t first, uint64_t step, uint64_t total)
{
    const uint64_t room = picked->max - picked->count;
    const uint64_t wanted = total < room ? total : room;
    for (uint64_t i = 0; i < wanted; i++) {
        const uint64_t at = (uint64_t)((__uint128_t)i * total / wanted);
        picked->out[picked->count++] = first + at * step;
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static size_t sort_unique(uint64_t *items, size_t count)
{
    qsort(items, count, sizeof *items, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || items[kept - 1] != items[i])
            items[kept++] = items[i];
    }
    return kept;
}

static size_t pick(const struct trace *trace, uint32_t k, size_t max, uint64_t *out)
{
    if (!is_torn_write(trace, k))
        return stores_pick(trace, k, max, out);
    const struct op *op = &trace->ops[k];
    const uint64_t last = op->payload_size - 1;
    struct picked picked = {.out = out, .max = max};
    if (last <= max) {
        add_even(&picked, 1, 1, last);
        return picked.count;
    }
    add_even(&picked, 1, last - 1, 2); /* both ends */
    const struct edges pages = edges_of(op, PAGE_BYTES);
    add_even(&picked, pages.first, PAGE_BYTES, pages.count);
    const struct edges sectors = edges_of(op, SECTOR_SIZE);
    add_even(&picked, sectors.first, SECTOR_SIZE, sectors.count);
    add_even(&picked, 1, 1, last);
    return sort_unique(out, picked.count);
}

static bool apply(struct tree *tree, const struct trace *trace, uint32_t k, uint64_t variant,
                  struct err *err)
{
    if (is_torn_write(trace, k))
        return tree_apply_part(tree, &trace->ops[k], 0, variant, err);
    return stores_apply(tree, trace, k, variant, err);
}

static char *describe(const struct trace *trace, uint32_t k, uint64_t variant)
{
    if (!is_torn_write(trace, k))
        return stores_describe(trace, k, variant);
    char *what = trace_sentence(trace, &trace->ops[k]);
    char *text = mem_format("the first %llu bytes of op %u: %s", (unsigned long long)variant,
                            k - trace->initial + 1, what);
    free(what);
    return text;
}

const struct model model_torn = {
    .kind = MODEL_TORN,
    .count = count,
    .pick = pick,
    .rank = rank,
    .apply = apply,
    .describe = describe,
};
