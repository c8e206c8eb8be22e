#include "likeness.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/map.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { CHUNK = 65536 };

/* The two recordings, and why reading one of them failed, if it did. */
struct pair {
    const struct trace *first, *again;
    struct err *err;
};

static bool same_payload(const struct pair *pair, const struct op *a, const struct op *b)
{
    uint8_t *left OWN(own_mem) = mem_new(2, CHUNK);
    uint8_t *right = left + CHUNK;
    for (uint64_t done = 0; done < b->payload_size; done += CHUNK) {
        const uint64_t rest = b->payload_size - done;
        const size_t size = rest < CHUNK ? (size_t)rest : CHUNK;
        if (!trace_read(pair->first, a->payload + done, left, size, pair->err) ||
            !trace_read(pair->again, b->payload + done, right, size, pair->err))
            return false;
        if (memcmp(left, right, size) != 0)
            return false;
    }
    return true;
}

static bool same_string(const struct pair *pair, uint32_t a, uint32_t b)
{
    return strcmp(trace_string(pair->first, a), trace_string(pair->again, b)) == 0;
}

static bool same_numbers(const struct op *a, const struct op *b)
{
    return a->kind == b->kind && a->call == b->call && a->thread == b->thread &&
           a->node == b->node && a->node2 == b->node2 && a->dir == b->dir && a->dir2 == b->dir2 &&
           a->offset == b->offset && a->size == b->size && a->mode == b->mode;
}

/* OP_TIMES carries moments, which no two runs share. */
static bool has_moments(const struct op *op)
{
    return op->kind == OP_TIMES || op->kind == OP_START || op->kind == OP_EXIT;
}

static bool same_op(const struct pair *pair, const struct op *a, const struct op *b,
                    bool may_be_short)
{
    if (has_moments(a))
        return a->kind == b->kind;
    const bool is_size_right =
        b->payload_size == a->payload_size || (may_be_short && b->payload_size < a->payload_size);
    return is_size_right && same_numbers(a, b) && same_string(pair, a->name, b->name) &&
           same_string(pair, a->name2, b->name2) && same_payload(pair, a, b);
}

/* One thread's ops as a list of numbers: call, kind, and the files by first use. */
struct shape {
    uint64_t *items;
    size_t count, capacity;
};

static uint64_t by_first_use(struct map *numbers, uint32_t node)
{
    uint64_t number = numbers->count;
    if (!map_get(numbers, node, &number))
        map_put(numbers, node, number);
    return number;
}

static struct shape shape_of(const struct trace *trace, uint32_t thread, uint32_t ops)
{
    struct shape shape = {0};
    struct map numbers = {0};
    for (uint32_t k = trace->initial; k < ops; k++) {
        const struct op *op = &trace->ops[k];
        if (op->thread != thread || op->kind == OP_STORE || op->kind == OP_EXIT)
            continue;
        mem_grow(&shape.items, &shape.capacity, shape.count + 1, sizeof *shape.items);
        shape.items[shape.count++] =
            (uint64_t)op->kind << 56 | (uint64_t)op->call << 40 | by_first_use(&numbers, op->node);
    }
    map_fini(&numbers);
    return shape;
}

/* The shorter one must be the beginning of the longer one. */
static bool same_shape(const struct trace *first, const struct trace *again, uint32_t thread,
                       uint32_t ops)
{
    struct shape a = shape_of(first, thread, first->count);
    struct shape b = shape_of(again, thread, ops);
    const size_t count = a.count < b.count ? a.count : b.count;
    const bool is_same = count == 0 || memcmp(a.items, b.items, count * sizeof *a.items) == 0;
    free(a.items);
    free(b.items);
    return is_same;
}

static enum likeness compare_shapes(const struct trace *first, const struct trace *again,
                                    uint32_t ops)
{
    for (uint32_t thread = 0; thread < again->threads_count; thread++) {
        if (thread < first->threads_count && !same_shape(first, again, thread, ops))
            return ALIKE_NOT;
    }
    return ALIKE_IN_SHAPE;
}

bool likeness(const struct trace *first, const struct trace *again, uint32_t ops,
              enum likeness *out, struct err *err)
{
    while (ops > again->initial && again->ops[ops - 1].kind == OP_EXIT)
        ops--; /* the ends that the kill itself made */
    const bool is_comparable = ops <= first->count && first->initial == again->initial;
    struct err read_err = {0};
    const struct pair pair = {first, again, &read_err};
    bool is_same = is_comparable;
    for (uint32_t k = first->initial; is_same && k < ops; k++)
        is_same = same_op(&pair, &first->ops[k], &again->ops[k], k + 1 == ops);
    if (read_err.kind != ERR_NONE) {
        *err = read_err;
        return false;
    }
    *out = is_same ? ALIKE_WHOLLY : compare_shapes(first, again, ops);
    return true;
}
