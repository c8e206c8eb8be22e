#include "store_sound.h"

#include "recoveries.h"
#include "robust_place.h"
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

static bool is_op_sound(const struct trace *trace, const struct op *op, bool is_last)
{
    return op->kind < OP_KIND_COUNT && op->enter <= trace->count &&
           (op->stack == 0 || op->stack < trace->stacks_count) &&
           !(is_last && (op->flags & OP_MORE)) && are_strings_there(trace, op) &&
           are_nodes_there(trace, op) && is_payload_there(trace, op);
}

static bool are_ops_sound(const struct trace *trace, struct err *err)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        if (!is_op_sound(trace, &trace->ops[i], i + 1 == trace->count))
            return err_usage(err, "run.db is damaged: op %u refers to what is not there", i);
    }
    return true;
}

static bool is_recovery_sound(const struct trace *trace, const struct trace_recovery *recovery)
{
    return recovery->op >= trace->initial && recovery->op <= trace->count &&
           recovery->first <= trace->recovery_ops_count &&
           recovery->count <= trace->recovery_ops_count - recovery->first;
}

static bool are_recoveries_sound(const struct trace *trace, struct err *err)
{
    for (uint32_t i = 0; i < trace->recoveries_count; i++) {
        if (!is_recovery_sound(trace, &trace->recoveries[i]))
            return store_damaged("its table of recoveries", err);
        const struct trace view = recoveries_trace(trace, i);
        if (!are_ops_sound(&view, err))
            return err_while(err, "recovery %u", i);
    }
    return true;
}

static bool is_frame_sound(const struct trace *trace, const struct trace_frame *frame)
{
    return has_string(trace, frame->module) && has_string(trace, frame->function) &&
           has_string(trace, frame->file);
}

/* Each lies in a node, has its words, and they come in order of recoveries. */
static bool are_robust_sound(const struct trace *trace, struct err *err)
{
    uint32_t recovery = 0;
    for (uint32_t i = 0; i < trace->robust_count; i++) {
        const struct robust_place *place = &trace->robust[i];
        const struct op words = {.payload = place->payload,
                                 .payload_size = sizeof(struct robust_words)};
        if (place->node >= trace->nodes || place->recovery < recovery ||
            place->recovery > trace->recoveries_count || !is_payload_there(trace, &words))
            return store_damaged("its table of robust mutexes", err);
        recovery = place->recovery;
    }
    return true;
}

bool store_sound(const struct trace *trace, struct err *err)
{
    if (trace->initial > trace->count)
        return store_damaged("ops are missing", err);
    if (!are_ops_sound(trace, err) || !are_recoveries_sound(trace, err) ||
        !are_robust_sound(trace, err))
        return false;
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
