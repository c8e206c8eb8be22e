/* words.h - what all reports say alike about a run. */
#ifndef REPORTS_WORDS_H
#define REPORTS_WORDS_H

#include "tracer/trace/verdict.h"

/* "held", "violated", "partial". */
const char *words_result(const struct run *run);

/* "off", "noticed", "unnoticed". */
const char *words_canary(enum canary canary);

/* "brink replay 7f3a91c2d4": as many digits as tell the state from all others, at least ten, and
 * the run's folder when it is not the usual one. Caller frees. */
char *words_replay(const struct run *run, const struct finding *finding);

/* Different states that did not hold. The models count a state that several of them have several
 * times; this counts it once. */
uint64_t words_violated(const struct run *run);

/* The op of a finding as reports number it: 1 is the worker's first, or the recovery's. */
uint32_t words_op(const struct run *run, const struct finding *finding);

/* What the worker's recording holds, its initial ops left out. Starts and ends of processes stand
 * in the trace to be read, but change nothing and are not counted. */
struct words_recorded {
    uint32_t ops, syncs;
    uint64_t bytes; /* written and stored into files of the workspace */
};
struct words_recorded words_recorded(const struct run *run);

/* Whatever a user must know besides, one line each, in the order in which it happened: the notes of
 * the recording and of the run. The texts are borrowed from the run; caller frees the array, which
 * ends with NULL. */
const char **words_notes(const struct run *run);

#endif
