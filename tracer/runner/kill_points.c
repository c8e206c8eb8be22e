#include "kill_points.h"

#include <stdlib.h>

#include "tracer/base/map.h"
#include "tracer/base/mem.h"

enum { TRIES_PER_POINT = 50, PAGE_SIZE_BYTES = 4096 };

struct draw {
    const struct trace *trace;
    struct record_halt *items;
    size_t count, wanted;
    struct map taken;
    uint64_t random;
};

/* splitmix64: small, seeded, and good enough to choose by. */
static uint64_t next_random(struct draw *draw)
{
    draw->random += 0x9e3779b97f4a7c15u;
    uint64_t value = draw->random;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static uint32_t random_below(struct draw *draw, uint32_t limit)
{
    return (uint32_t)(next_random(draw) % limit);
}

/* A halt at op k is only possible where a call of the worker makes exactly that op, by itself. */
static bool is_place(const struct trace *trace, uint32_t k)
{
    const struct op *op = &trace->ops[k];
    const bool is_later_part = k > trace->initial && (trace->ops[k - 1].flags & OP_MORE) &&
                               trace->ops[k - 1].kind != OP_STORE;
    return op_is_crash_point(op) && op->kind != OP_STORE && !(op->flags & OP_MORE) &&
           !is_later_part;
}

static void add(struct draw *draw, struct record_halt halt)
{
    const uint64_t key =
        (uint64_t)halt.op << 34 | (uint64_t)halt.where << 32 | (halt.bytes << 32 >> 32);
    if (draw->count < draw->wanted && map_put(&draw->taken, key, 1))
        draw->items[draw->count++] = halt;
}

/* The number of page edges that lie strictly inside the write. */
static uint64_t page_edges(const struct op *op)
{
    if (op->kind != OP_WRITE || op->payload_size < 2)
        return 0;
    return (op->offset + op->payload_size - 1) / PAGE_SIZE_BYTES - op->offset / PAGE_SIZE_BYTES;
}

static uint64_t edge_bytes(const struct op *op, uint64_t edge)
{
    return PAGE_SIZE_BYTES - op->offset % PAGE_SIZE_BYTES + edge * PAGE_SIZE_BYTES;
}

/* Any place in ops [from, to), found by trying; false when there seems to be none. */
static bool find_place(struct draw *draw, uint32_t from, uint32_t to, uint32_t *out)
{
    for (int i = 0; i < TRIES_PER_POINT && from < to; i++) {
        *out = from + random_below(draw, to - from);
        if (is_place(draw->trace, *out))
            return true;
    }
    for (*out = from; *out < to; (*out)++) {
        if (is_place(draw->trace, *out))
            return true;
    }
    return false;
}

static void add_one(struct draw *draw, uint32_t from, enum halt_where where)
{
    uint32_t k;
    if (find_place(draw, from, draw->trace->count, &k))
        add(draw, (struct record_halt){.op = k, .where = where});
}

/* A write that crosses a page edge: the first such at or after a random place, going round. */
static void add_page_edge(struct draw *draw)
{
    const struct trace *trace = draw->trace;
    const uint32_t span = trace->count - trace->initial;
    const uint32_t start = random_below(draw, span);
    for (uint32_t i = 0; i < span; i++) {
        const uint32_t k = trace->initial + (start + i) % span;
        const uint64_t edges = page_edges(&trace->ops[k]);
        if (edges == 0 || !is_place(trace, k))
            continue;
        const uint64_t edge = next_random(draw) % edges;
        add(draw, (struct record_halt){
                      .op = k, .where = HALT_INSIDE, .bytes = edge_bytes(&trace->ops[k], edge)});
        return;
    }
}

static void add_each_process(struct draw *draw)
{
    const struct trace *trace = draw->trace;
    struct map seen = {0};
    for (uint32_t k = trace->initial; k < trace->count; k++) {
        if (!is_place(trace, k) || trace->ops[k].thread >= trace->threads_count)
            continue;
        if (map_put(&seen, trace->threads[trace->ops[k].thread].pid, 1))
            add(draw, (struct record_halt){.op = k, .where = HALT_AFTER});
    }
    map_fini(&seen);
}

static void add_any(struct draw *draw)
{
    const unsigned kind = random_below(draw, 3);
    if (kind == HALT_INSIDE) {
        add_page_edge(draw);
    } else {
        add_one(draw, draw->trace->initial, (enum halt_where)kind);
    }
}

static int by_op(const void *a, const void *b)
{
    const struct record_halt *x = a;
    const struct record_halt *y = b;
    return x->op < y->op ? -1 : x->op > y->op;
}

size_t kill_points_draw(const struct trace *trace, uint32_t wanted, uint64_t seed,
                        struct record_halt **out)
{
    struct draw draw = {.trace = trace,
                        .items = mem_new(wanted, sizeof *draw.items),
                        .wanted = wanted,
                        .random = seed};
    const uint32_t span = trace->count - trace->initial;
    if (span > 0 && wanted > 0) {
        add_one(&draw, trace->initial, HALT_BEFORE);
        add_page_edge(&draw);
        add_one(&draw, trace->initial, HALT_AFTER);
        add_one(&draw, trace->count - (span + 9) / 10, HALT_AFTER);
        add_each_process(&draw);
        for (size_t i = 0; i < (size_t)wanted * TRIES_PER_POINT && draw.count < wanted; i++)
            add_any(&draw);
    }
    qsort(draw.items, draw.count, sizeof *draw.items, by_op);
    map_fini(&draw.taken);
    *out = draw.items;
    return draw.count;
}
