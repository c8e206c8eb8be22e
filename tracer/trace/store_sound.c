#include "store_sound.h"

#include "store_query.h"

static bool has_string(const struct trace *trace, uint32_t number)
{
    return number == 0 || number < trace->strings.count;
}

static bool are_strings_there(const struct trace *trace, const struct op *op)
{
    return has_string(trace, op->name) && has_string(trace, op->name2) &&
           has_string(trace, op->path) && has_string(trace, op->path2);
}

static bool are_nodes_there(const struct trace *trace, const struct op *op)
{
    return op->node < trace->nodes && op->node2 < trace->nodes && op->dir < trace->nodes &&
           op->dir2 < trace->nodes;
}

static bool is_payload_there(const struct trace *trace, const struct op *op)
{
    return op->payload_size == 0 || (op->payload <= trace->payload_size &&
                                     op->payload_size <= trace->payload_size - op->payload);
}

static bool is_op_sound(const struct trace *trace, uint32_t number)
{
    const struct op *op = &trace->ops[number];
    const bool is_last = number + 1 == trace->count;
    return op->kind < OP_KIND_COUNT && op->enter <= trace->count &&
           (op->stack == 0 || op->stack < trace->stacks_count) &&
           !(is_last && (op->flags & OP_MORE)) && are_strings_there(trace, op) &&
           are_nodes_there(trace, op) && is_payload_there(trace, op);
}

static bool is_frame_sound(const struct trace *trace, const struct trace_frame *frame)
{
    return has_string(trace, frame->module) && has_string(trace, frame->function) &&
           has_string(trace, frame->file);
}

bool store_sound(const struct trace *trace, struct err *err)
{
    if (trace->initial > trace->count)
        return store_damaged("ops are missing", err);
    for (uint32_t i = 0; i < trace->count; i++) {
        if (!is_op_sound(trace, i))
            return err_usage(err, "run.db is damaged: op %u refers to what is not there", i);
    }
    for (uint32_t i = 0; i < trace->frames_count; i++) {
        if (!is_frame_sound(trace, &trace->frames[i]))
            return store_damaged("its table of frames", err);
    }
    for (uint32_t i = 0; i < trace->threads_count; i++) {
        if (!has_string(trace, trace->threads[i].program))
            return store_damaged("its table of threads", err);
    }
    return true;
}
