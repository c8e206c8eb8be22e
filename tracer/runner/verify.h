/* verify.h - run the worker again and kill it for real, to see whether the states are true. */
#ifndef RUNNER_VERIFY_H
#define RUNNER_VERIFY_H

#include "janitor.h"
#include "tracer/ptrace/record.h"
#include "tracer/trace/verdict.h"

struct verify_options {
    const struct trace *trace;
    struct record_options record; /* as the run was recorded; copy_fd and halt are set here */
    const char *initial;          /* folder with the initial workspace, copied for each run */
    const char *temporary;        /* folder in which the copies are made */
    uint32_t points;              /* how many; 0: none */
    uint64_t seed;
};

/* Fills *out. A real workspace that differs from the predicted one although both recordings agree
 * is an ERR_SYSTEM that names point, seed and first difference. */
MUST_USE bool verify(const struct verify_options *options, struct verified *out, struct err *err);

/* Whether two recordings of one worker agree up to the shorter one: the same ops with the same
 * bytes; or only in shape: for each thread the calls in order, files numbered by first use. */
enum likeness { ALIKE_WHOLLY, ALIKE_IN_SHAPE, ALIKE_NOT };
enum likeness verify_likeness(const struct trace *a, const struct trace *b, uint32_t ops);

#endif
