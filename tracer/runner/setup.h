/* setup.h - runs the user's setup command in a workspace's copy, before anything is recorded. */
#ifndef RUNNER_SETUP_H
#define RUNNER_SETUP_H

#include "tracer/base/err.h"

struct setup {
    const char *text;               /* for /bin/sh -c */
    const char *path;               /* the workspace's path */
    int copy_fd;                    /* mounted there; -1: nothing is mounted */
    const char *const *environment; /* K=V additions, or NULL */
};

/* Waits for its end; what it left running is killed where that is possible. Its output goes to
 * stderr, for stdout is the worker's. A status other than 0 is ERR_USAGE. */
MUST_USE bool setup_run(const struct setup *setup, struct err *err);

#endif
