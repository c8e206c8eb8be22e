/* window.h - runs of neighbouring violated crash points: where a bad stretch opens and closes.
 *
 * A window of the kill model begins with the op after which the check first fails and ends with the
 * op after which it holds again. A torn write inside an open window has the window's cause; one
 * outside has its own. */
#ifndef FINDINGS_WINDOW_H
#define FINDINGS_WINDOW_H

#include "tracer/trace/verdict.h"

struct window {
    enum model_kind model;
    uint32_t open;  /* op index that opens it (torn: that is torn); UINT32_MAX: before the first */
    uint32_t close; /* op index that closes it; UINT32_MAX: it stays open to the end */
    size_t first;   /* the first violated state in it (index) */
    uint64_t states;
};

/* Whether the verdict counts as a violation: violated, crashed, hung. */
bool window_is_violation(const struct verdict *verdict);

/* All windows of a run, weakest model first, then in order of ops. Caller frees *out. */
size_t window_find(const struct run *run, struct window **out);

#endif
