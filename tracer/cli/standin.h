/* standin.h - the directory at a recorded workspace's path, for commands that run there again.
 *
 * Slots mount states over it, so it must be there, even when the workspace was a temporary one that
 * is long gone: then an empty one stands in for it until standin_fini. */
#ifndef CLI_STANDIN_H
#define CLI_STANDIN_H

#include "tracer/runner/janitor.h"

struct standin {
    char *path; /* what was made; NULL: nothing */
    struct janitor *janitor;
};

/* Makes the directory if it is missing; its parent must be there. */
MUST_USE bool standin_make(struct standin *standin, const char *path, struct janitor *janitor,
                           struct err *err);
void standin_fini(struct standin *standin);

#endif
