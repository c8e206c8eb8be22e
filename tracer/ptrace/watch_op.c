/* Halting at an op of the trace, by its number. */
#include <stdlib.h>

#include "tracer/base/mem.h"
#include "watch.h"

struct watch_op {
    struct watch watch;
    const struct record_halt *halt;
};

static const struct record_halt *halt_of(const struct watch *watch)
{
    return ((const struct watch_op *)watch)->halt;
}

static bool op_entry(struct watch *watch, struct recorder *recorder, struct tracee *tracee,
                     struct watch_answer *out, struct err *err)
{
    (void)err;
    const struct record_halt *halt = halt_of(watch);
    const uint32_t count = recorder->writer->trace->count;
    if (halt->where == HALT_BEFORE && count >= halt->op && recorder->serial_tid == 0)
        out->place = WATCH_BEFORE;
    if (halt->where == HALT_INSIDE && count == halt->op && tracee->call.op.kind == OP_WRITE)
        *out = (struct watch_answer){.place = WATCH_INSIDE, .bytes = halt->bytes};
    return true;
}

static bool op_exit(struct watch *watch, struct recorder *recorder, bool *is_reached,
                    struct err *err)
{
    (void)err;
    const struct record_halt *halt = halt_of(watch);
    const struct trace *trace = recorder->writer->trace;
    *is_reached = halt->where == HALT_AFTER && trace->count > halt->op &&
                  (trace->ops[trace->count - 1].flags & OP_MORE) == 0;
    return true;
}

static void op_free(struct watch *watch)
{
    free(watch);
}

struct watch *watch_op_new(const struct record_halt *halt)
{
    struct watch_op *made = mem_new(1, sizeof *made);
    *made = (struct watch_op){.watch = {op_entry, op_exit, op_free}, .halt = halt};
    return &made->watch;
}
