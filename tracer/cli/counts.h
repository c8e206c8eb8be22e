/* counts.h - the figures of a run, from its states and verdicts. */
#ifndef CLI_COUNTS_H
#define CLI_COUNTS_H

#include "tracer/trace/verdict.h"

/* Fills tried, distinct, violated, crashed, hung and flaky of each model, and checked. legal and
 * known stay: they depend on the trace alone. A state counts for each model that has it; one that
 * has no verdict counts for none. */
void counts_fill(struct run *run);

bool counts_is_violation(enum verdict_kind kind);

#endif
