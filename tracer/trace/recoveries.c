#include "recoveries.h"

#include <stdlib.h>
#include <string.h>

#include "robust_place.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "verdict.h"

struct trace recoveries_trace(const struct trace *trace, uint32_t number)
{
    CHECK(number < trace->recoveries_count);
    const struct trace_recovery *recovery = &trace->recoveries[number];
    struct trace view = *trace;
    view.ops = trace->recovery_ops + recovery->first;
    view.count = recovery->count;
    view.initial = 0;
    view.recovery = number + 1;
    view.promises = NULL;
    view.promises_count = 0;
    view.indexed = UINT32_MAX; /* ask each op */
    return view;
}

/* Numbers in a recording against those of the trace that takes it in. */
struct shift {
    struct trace *to;
    const struct trace *from;
    uint32_t nodes_before, nodes_after; /* where the recording's own nodes begin, there and here */
    uint32_t threads, frames, stack_frames, stacks;
};

static uint32_t string_of(const struct shift *shift, uint32_t number)
{
    return number == 0 ? 0 : strings_add(&shift->to->strings, trace_string(shift->from, number));
}

static uint32_t node_of(const struct shift *shift, uint32_t node)
{
    return node < shift->nodes_before ? node : node - shift->nodes_before + shift->nodes_after;
}

static struct op op_of(const struct shift *shift, const struct op *from)
{
    const uint32_t initial = shift->from->initial;
    struct op op = *from;
    op.enter = from->enter > initial ? from->enter - initial : 0;
    op.thread += shift->threads;
    op.node = node_of(shift, from->node);
    op.node2 = node_of(shift, from->node2);
    op.dir = node_of(shift, from->dir);
    op.dir2 = node_of(shift, from->dir2);
    op.name = string_of(shift, from->name);
    op.name2 = string_of(shift, from->name2);
    op.path = string_of(shift, from->path);
    op.path2 = string_of(shift, from->path2);
    op.stack = from->stack == 0 ? 0 : from->stack + shift->stacks;
    if (from->kind == OP_START)
        op.size += shift->threads; /* its parent */
    return op;
}

/* Makes room for `more` behind the `count` items that *items points to; nobody keeps a capacity. */
static void *extend(void *items, size_t count, size_t more, size_t size)
{
    size_t capacity = count;
    void *longer = items;
    mem_grow(&longer, &capacity, count + more, size);
    return longer;
}

static void add_threads(const struct shift *shift)
{
    struct trace *to = shift->to;
    const struct trace *from = shift->from;
    to->threads = extend(to->threads, to->threads_count, from->threads_count, sizeof *to->threads);
    for (uint32_t i = 0; i < from->threads_count; i++) {
        struct trace_thread thread = from->threads[i];
        thread.parent += shift->threads;
        thread.program = string_of(shift, thread.program);
        to->threads[to->threads_count++] = thread;
    }
}

static void add_frames(const struct shift *shift)
{
    struct trace *to = shift->to;
    const struct trace *from = shift->from;
    to->frames = extend(to->frames, to->frames_count, from->frames_count, sizeof *to->frames);
    for (uint32_t i = 0; i < from->frames_count; i++) {
        struct trace_frame frame = from->frames[i];
        frame.module = string_of(shift, frame.module);
        frame.function = string_of(shift, frame.function);
        frame.file = string_of(shift, frame.file);
        to->frames[to->frames_count++] = frame;
    }
}

static void add_stacks(const struct shift *shift)
{
    struct trace *to = shift->to;
    const struct trace *from = shift->from;
    to->stack_frames = extend(to->stack_frames, to->stack_frames_count, from->stack_frames_count,
                              sizeof *to->stack_frames);
    for (uint32_t i = 0; i < from->stack_frames_count; i++)
        to->stack_frames[to->stack_frames_count++] = from->stack_frames[i] + shift->frames;
    to->stacks = extend(to->stacks, to->stacks_count, from->stacks_count, sizeof *to->stacks);
    for (uint32_t i = 0; i < from->stacks_count; i++) {
        struct trace_stack stack = from->stacks[i];
        stack.first += shift->stack_frames;
        to->stacks[to->stacks_count++] = stack;
    }
}

static void add_ops(const struct shift *shift)
{
    struct trace *to = shift->to;
    const struct trace *from = shift->from;
    const uint32_t count = from->count - from->initial;
    to->recovery_ops =
        extend(to->recovery_ops, to->recovery_ops_count, count, sizeof *to->recovery_ops);
    for (uint32_t i = from->initial; i < from->count; i++)
        to->recovery_ops[to->recovery_ops_count++] = op_of(shift, &from->ops[i]);
}

static uint32_t position_of(const struct shift *shift, uint32_t k)
{
    if (k == UINT32_MAX)
        return k;
    return k > shift->from->initial ? k - shift->from->initial : 0;
}

static void add_robust(const struct shift *shift)
{
    struct trace *to = shift->to;
    const struct trace *from = shift->from;
    to->robust = extend(to->robust, to->robust_count, from->robust_count, sizeof *to->robust);
    for (uint32_t i = 0; i < from->robust_count; i++) {
        struct robust_place place = from->robust[i];
        place.node = node_of(shift, place.node);
        place.thread += shift->threads;
        place.from = position_of(shift, place.from);
        place.to = position_of(shift, place.to);
        place.recovery = to->recoveries_count + 1;
        to->robust[to->robust_count++] = place;
    }
}

void recoveries_add(struct trace *trace, const struct trace *recorded, uint32_t nodes_before,
                    const struct trace_recovery *recovery)
{
    const struct shift shift = {
        .to = trace,
        .from = recorded,
        .nodes_before = nodes_before,
        .nodes_after = trace->nodes,
        .threads = trace->threads_count,
        .frames = trace->frames_count,
        .stacks = trace->stacks_count,
        .stack_frames = trace->stack_frames_count,
    };
    struct trace_recovery added = *recovery;
    CHECK(recorded->nodes >= nodes_before);
    added.first = trace->recovery_ops_count;
    added.count = recorded->count - recorded->initial;
    add_threads(&shift);
    add_frames(&shift);
    add_stacks(&shift);
    add_ops(&shift);
    add_robust(&shift);
    trace->recoveries = extend(trace->recoveries, trace->recoveries_count, 1, sizeof added);
    trace->recoveries[trace->recoveries_count++] = added;
    trace->nodes += recorded->nodes - nodes_before;
    trace->payload_size = recorded->payload_size;
}

void recoveries_drop_last(struct trace *trace)
{
    CHECK(trace->recoveries_count > 0);
    trace->recovery_ops_count = trace->recoveries[--trace->recoveries_count].first;
    while (trace->robust_count > 0 &&
           trace->robust[trace->robust_count - 1].recovery > trace->recoveries_count)
        trace->robust_count--;
}

struct trace_recovery recoveries_of_state(const struct state *state, uint32_t number)
{
    return (struct trace_recovery){
        .state = number,
        .op = state->op,
        .variant = state->variant,
        .id = strtoull(state->id, NULL, 16),
        .acked_bytes = state->acked_bytes,
        .sent_messages = state->sent_messages,
        .model = (uint8_t)state->model,
    };
}

/* What comes first in the packed form; then the arrays in this order, then the strings, each with
 * its NUL, the empty one left out. */
struct pack {
    uint64_t payload_size;
    uint64_t strings;
    uint32_t nodes;
    uint32_t ops, threads, frames, stacks, stack_frames, robust;
};

struct packer {
    char *bytes;
    size_t size, capacity;
};

static void put(struct packer *packer, const void *bytes, size_t size)
{
    mem_grow(&packer->bytes, &packer->capacity, packer->size + size, 1);
    if (size > 0)
        memcpy(packer->bytes + packer->size, bytes, size);
    packer->size += size;
}

static void put_ops(struct packer *packer, const struct trace *trace)
{
    for (uint32_t i = trace->initial; i < trace->count; i++) {
        struct op op = trace->ops[i];
        op.enter = op.enter > trace->initial ? op.enter - trace->initial : 0;
        put(packer, &op, sizeof op);
    }
}

static void put_robust(struct packer *packer, const struct trace *trace)
{
    const struct shift shift = {.from = trace};
    for (uint32_t i = 0; i < trace->robust_count; i++) {
        struct robust_place place = trace->robust[i];
        place.from = position_of(&shift, place.from);
        place.to = position_of(&shift, place.to);
        put(packer, &place, sizeof place);
    }
}

char *recoveries_pack(const struct trace *recorded, size_t *size)
{
    struct packer packer = {0};
    const struct pack head = {
        .payload_size = recorded->payload_size,
        .strings = recorded->strings.count,
        .nodes = recorded->nodes,
        .ops = recorded->count - recorded->initial,
        .threads = recorded->threads_count,
        .frames = recorded->frames_count,
        .stacks = recorded->stacks_count,
        .stack_frames = recorded->stack_frames_count,
        .robust = recorded->robust_count,
    };
    put(&packer, &head, sizeof head);
    put_ops(&packer, recorded);
    put(&packer, recorded->threads, head.threads * sizeof *recorded->threads);
    put(&packer, recorded->frames, head.frames * sizeof *recorded->frames);
    put(&packer, recorded->stacks, head.stacks * sizeof *recorded->stacks);
    put(&packer, recorded->stack_frames, head.stack_frames * sizeof *recorded->stack_frames);
    put_robust(&packer, recorded);
    for (uint32_t i = 1; i < head.strings; i++) {
        const char *text = trace_string(recorded, i);
        put(&packer, text, strlen(text) + 1);
    }
    *size = packer.size;
    return packer.bytes;
}

struct unpacker {
    const char *bytes;
    size_t left;
};

static bool take(struct unpacker *unpacker, void *to, size_t size)
{
    if (unpacker->left < size)
        return false;
    if (size > 0)
        memcpy(to, unpacker->bytes, size);
    unpacker->bytes += size;
    unpacker->left -= size;
    return true;
}

/* NULL: there are not so many bytes left. */
static void *take_array(struct unpacker *unpacker, size_t count, size_t size)
{
    if (unpacker->left / size < count)
        return NULL;
    void *items = mem_new(count + 1, size);
    if (take(unpacker, items, count * size))
        return items;
    free(items);
    return NULL;
}

static bool take_strings(struct unpacker *unpacker, uint64_t count, struct trace *out)
{
    for (uint64_t i = 1; i < count; i++) {
        const char *end = memchr(unpacker->bytes, '\0', unpacker->left);
        if (end == NULL || strings_add(&out->strings, unpacker->bytes) != i)
            return false;
        unpacker->left -= (size_t)(end + 1 - unpacker->bytes);
        unpacker->bytes = end + 1;
    }
    return unpacker->left == 0;
}

bool recoveries_unpack(const char *bytes, size_t size, struct trace *out)
{
    struct unpacker unpacker = {.bytes = bytes, .left = size};
    struct pack head;
    if (!take(&unpacker, &head, sizeof head))
        return false;
    out->payload_size = head.payload_size;
    out->nodes = head.nodes;
    out->count = head.ops;
    out->threads_count = head.threads;
    out->frames_count = head.frames;
    out->stacks_count = head.stacks;
    out->stack_frames_count = head.stack_frames;
    out->robust_count = head.robust;
    out->ops = take_array(&unpacker, head.ops, sizeof *out->ops);
    out->threads = take_array(&unpacker, head.threads, sizeof *out->threads);
    out->frames = take_array(&unpacker, head.frames, sizeof *out->frames);
    out->stacks = take_array(&unpacker, head.stacks, sizeof *out->stacks);
    out->stack_frames = take_array(&unpacker, head.stack_frames, sizeof *out->stack_frames);
    out->robust = take_array(&unpacker, head.robust, sizeof *out->robust);
    return out->ops && out->threads && out->frames && out->stacks && out->stack_frames &&
           out->robust && take_strings(&unpacker, head.strings, out);
}
