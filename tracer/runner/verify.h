/* verify.h - run the worker again and kill it for real, to see whether the states are true.
 *
 * Each run starts from a fresh copy of the initial workspace, halts at a drawn point, is killed
 * there with SIGKILL, and its real workspace is compared with the predicted one. */
#ifndef RUNNER_VERIFY_H
#define RUNNER_VERIFY_H

#include "janitor.h"
#include "tracer/ptrace/record.h"
#include "tracer/trace/verdict.h"

/* The worker's stdin, anew for each run. open may be NULL: it keeps the caller's. */
struct verify_input {
    bool (*open)(void *context, int *fd, struct err *err);
    void (*close)(void *context, int fd);
    void *context;
};

struct verify_options {
    const struct trace *trace;
    struct record_options record; /* as the run was recorded; copy_fd, stdin_fd and halt are set
                                     here */
    struct verify_input input;
    const char *initial;   /* folder with the initial workspace, copied for each run */
    const char *temporary; /* folder on the same file system in which the copies are made */
    uint32_t points;       /* how many; 0: none */
    uint64_t seed;
    void (*progress)(void *context, uint32_t done, uint32_t total); /* may be NULL */
    void *context;
};

/* Fills *out. A real workspace that differs from the predicted one although both recordings agree
 * is an ERR_HARNESS that names point, seed and first difference. A worker that talked to the
 * outside is not run again: out->skipped says so. An interrupt ends it early, without an error. */
MUST_USE bool verify(const struct verify_options *options, struct verified *out, struct err *err);

#endif
