/* barrier_call.h - the words for calls that a barrier may have, and which ops they mean. */
#ifndef TRACE_BARRIER_CALL_H
#define TRACE_BARRIER_CALL_H

#include "op.h"

struct barrier_call {
    const char *name;
    uint32_t kinds;    /* bit for each op_kind that its calls may be */
    const char *calls; /* of these system calls only, each between spaces; NULL: of any */
};

#define BARRIER_CALL_KIND(kind) (UINT32_C(1) << (kind))
#define BARRIER_CALL_FILES      (BARRIER_CALL_KIND(OP_WRITE) | BARRIER_CALL_KIND(OP_OUTPUT))
#define BARRIER_CALL_SYNCS                                                                         \
    (BARRIER_CALL_KIND(OP_SYNC) | BARRIER_CALL_KIND(OP_SYNC_RANGE) |                               \
     BARRIER_CALL_KIND(OP_SYNC_MAP) | BARRIER_CALL_KIND(OP_SYNC_ALL))
#define BARRIER_CALL_PEERS                                                                         \
    (BARRIER_CALL_KIND(OP_CONNECT) | BARRIER_CALL_KIND(OP_SEND) | BARRIER_CALL_KIND(OP_RECEIVE) |  \
     BARRIER_CALL_KIND(OP_SHUTDOWN))

/* NULL when there is no such word. */
const struct barrier_call *barrier_call_find(const char *name);

bool barrier_call_fits(const struct barrier_call *call, const struct op *op);

/* The families, for messages: "write, send, ...". */
const char *barrier_call_families(void);

#endif
