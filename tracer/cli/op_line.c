#include "op_line.h"

#include <inttypes.h>

#include "tracer/base/own.h"
#include "tracer/base/text.h"

const char *op_line_mark(const struct op *op)
{
    const bool is_sync = op->kind == OP_SYNC || op->kind == OP_SYNC_RANGE ||
                         op->kind == OP_SYNC_MAP || op->kind == OP_SYNC_ALL;
    if (is_sync || (op->flags & (OP_DSYNC | OP_FSYNC)) != 0)
        return "sync";
    if (op->kind == OP_OUTPUT && (op->flags & OP_ACKED) != 0)
        return "acked";
    return op->kind == OP_SEND ? "sent" : "-";
}

/* Processes start and end by more than one call; what matters is which of the three it was. */
static const char *call_of(const struct op *op)
{
    switch (op->kind) {
    case OP_START:
        return "start";
    case OP_EXEC:
        return "exec";
    case OP_EXIT:
        return "exit";
    default:
        return op_call_name(op);
    }
}

void op_line_print(const struct trace *trace, uint32_t index, FILE *to)
{
    const struct op *op = &trace->ops[index];
    char *sentence OWN(own_mem) = trace_sentence(trace, op);
    char *where OWN(own_mem) = trace_where(trace, op);
    char *shown OWN(own_mem) = where != NULL ? text_escape(where, SIZE_MAX) : NULL;
    fprintf(to, "%" PRIu32 "\t%" PRIu32 "\t%s\t%s\t%s\t%s\n", index - trace->initial + 1,
            op->thread, call_of(op), op_line_mark(op), sentence, shown != NULL ? shown : "-");
}
