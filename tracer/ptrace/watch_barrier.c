/* Halting at a barrier. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "about.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/barrier_matcher.h"
#include "watch.h"

struct watch_barrier {
    struct watch watch;
    const struct barrier *barrier;
    struct barrier_matcher *matcher;
    uint32_t seen;    /* ops of the trace that the matcher has */
    uint64_t reached; /* by those */
    uint32_t last;    /* the one that reached it last */
};

static struct watch_barrier *self_of(struct watch *watch)
{
    return (struct watch_barrier *)watch;
}

static bool catch_up(struct watch_barrier *self, const struct recorder *recorder, struct err *err)
{
    const struct trace *trace = recorder->writer->trace;
    if (self->seen < trace->initial)
        self->seen = trace->initial;
    for (; self->seen < trace->count; self->seen++) {
        uint64_t times = 0;
        if (!barrier_matcher_add(self->matcher, self->seen, &times, err))
            return false;
        self->reached += times;
        if (times > 0)
            self->last = self->seen;
    }
    if (self->reached < self->barrier->nth || self->barrier->where == BARRIER_AFTER)
        return true;
    const struct op *op = &trace->ops[self->last];
    return err_usage(err,
                     "the barrier was passed by a call of %s that could not be halted: its bytes "
                     "are known only when it is done; where=after can halt there",
                     op_call_name(op));
}

/* Whether the call has enough bytes to stop inside. */
static bool check_inside(const struct watch_barrier *self, const struct tracee *tracee,
                         const struct op *op, struct err *err)
{
    const uint64_t size = about_size(tracee, op);
    if (size > self->barrier->bytes)
        return true;
    return err_usage(err,
                     "the barrier is inside a call of %s after %" PRIu64
                     " bytes, but the call has %" PRIu64,
                     op_call_name(op), self->barrier->bytes, size);
}

static bool barrier_entry(struct watch *watch, struct recorder *recorder, struct tracee *tracee,
                          struct watch_answer *out, struct err *err)
{
    struct watch_barrier *self = self_of(watch);
    uint64_t times = 0;
    if (!catch_up(self, recorder, err))
        return false;
    struct op op = about_op(recorder, tracee);
    if (self->barrier->where == BARRIER_AFTER || op.kind == OP_KIND_COUNT)
        return true;
    if (!barrier_matcher_ask(self->matcher, &op, &times, err))
        return false;
    if (times == 0 || self->reached + times < self->barrier->nth)
        return true;
    recorder->halted.op = op;
    recorder->halted.reached = self->reached + times;
    if (self->barrier->where == BARRIER_BEFORE) {
        out->place = WATCH_BEFORE;
        return true;
    }
    *out = (struct watch_answer){.place = WATCH_INSIDE, .bytes = self->barrier->bytes};
    return check_inside(self, tracee, &op, err);
}

static bool barrier_exit(struct watch *watch, struct recorder *recorder, bool *is_reached,
                         struct err *err)
{
    struct watch_barrier *self = self_of(watch);
    const struct trace *trace = recorder->writer->trace;
    if (!catch_up(self, recorder, err))
        return false;
    if (self->reached < self->barrier->nth || (trace->ops[trace->count - 1].flags & OP_MORE) != 0)
        return true;
    *is_reached = true;
    recorder->halted.op = trace->ops[self->last];
    recorder->halted.done = recorder->halted.op.payload_size;
    recorder->halted.reached = self->reached;
    return true;
}

static void barrier_free(struct watch *watch)
{
    barrier_matcher_free(self_of(watch)->matcher);
    free(watch);
}

static bool read_written(const void *context, uint64_t at, void *to, size_t size, struct err *err)
{
    return trace_writer_read(context, at, to, size, err);
}

struct watch *watch_barrier_new(const struct barrier *barrier, struct trace_writer *writer)
{
    struct watch_barrier *made = mem_new(1, sizeof *made);
    const struct barrier_source source = {.read = read_written, .context = writer};
    *made = (struct watch_barrier){.watch = {barrier_entry, barrier_exit, barrier_free},
                                   .barrier = barrier,
                                   .matcher = barrier_matcher_new(barrier, writer->trace, &source)};
    return &made->watch;
}
