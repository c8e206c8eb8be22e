/* merge.h - the arithmetic of joining shards: verdicts by state id, and the few sums. */
#ifndef CLI_MERGE_H
#define CLI_MERGE_H

#include "tracer/trace/verdict.h"

/* Moves the verdicts of a part to the states of the whole that have the same id. A state that two
 * parts have checked with two answers is flaky. Returns how many verdicts belong to no state of the
 * whole. */
size_t merge_verdicts(struct run *whole, struct run *part);

/* Adds up what is one figure for each run: time, verification, canary. The notes of the parts are
 * taken over, equal ones once. */
void merge_figures(struct run *whole, struct run *part);

/* Whether the shards (numbers from 0) of `shards` are all there; *missing: the first that is not.
 */
bool merge_is_whole(const uint32_t *present, size_t count, uint32_t shards, uint32_t *missing);

#endif
