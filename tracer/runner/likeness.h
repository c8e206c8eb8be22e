/* likeness.h - whether two recordings of one worker agree. */
#ifndef RUNNER_LIKENESS_H
#define RUNNER_LIKENESS_H

#include "tracer/trace/trace.h"

enum likeness {
    ALIKE_WHOLLY,   /* the same ops with the same bytes, in the same order */
    ALIKE_IN_SHAPE, /* for each thread the calls in order, files numbered by first use, not named */
    ALIKE_NOT,
};

/* Compares the first `ops` ops of both (initial ones included); the last may have been cut short in
 * `again`. *out is set on true. */
MUST_USE bool likeness(const struct trace *first, const struct trace *again, uint32_t ops,
                       enum likeness *out, struct err *err);

#endif
