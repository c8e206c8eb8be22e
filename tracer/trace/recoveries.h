/* recoveries.h - what the recovery did on crash states of the worker, inside the worker's trace.
 *
 * Recovery is a worker too. It was recorded on a crash state, and its ops go on from there: they
 * use the node numbers of the trace, and new ones of their own, so that one tree can go through the
 * worker's ops to a crash and through the recovery's to the next one. Strings, threads, frames,
 * stacks and the payload file are shared. */
#ifndef TRACE_RECOVERIES_H
#define TRACE_RECOVERIES_H

#include "trace.h"

struct trace_recovery {
    uint32_t first, count; /* its ops in trace.recovery_ops */
    uint32_t state;        /* number of the crash state in the run */
    uint32_t op;           /* the rest says which state that is, as in struct state */
    uint64_t variant;
    uint64_t id; /* the number that its id spells */
    uint64_t acked_bytes;
    uint32_t sent_messages;
    uint8_t model;
};

/* A recovery as a trace of its own that has no initial ops; it owns nothing. */
struct trace recoveries_trace(const struct trace *trace, uint32_t number);

/* Appends a recording. In `recorded` the nodes below trace->nodes_before are those of the trace;
 * its payload lies in the trace's own file, up to recorded->payload_size. first and count of
 * *recovery are filled here. */
void recoveries_add(struct trace *trace, const struct trace *recorded, uint32_t nodes_before,
                    const struct trace_recovery *recovery);

/* Takes the last one out again. */
void recoveries_drop_last(struct trace *trace);

/* What is said about a recovery that began on this state of the run. */
struct state;
struct trace_recovery recoveries_of_state(const struct state *state, uint32_t number);

/* A recording as bytes, for a pipe between two processes of one brink: without payload and initial
 * ops. Caller frees. */
char *recoveries_pack(const struct trace *recorded, size_t *size);

/* *out must be trace_init'ed; false: these are no such bytes. */
bool recoveries_unpack(const char *bytes, size_t size, struct trace *out);

#endif
