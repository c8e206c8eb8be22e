/* place.h - the directory at a recorded workspace's path, for commands that run there again.
 *
 * Slots mount states over it, so it must be there, even when the workspace was a temporary one that
 * is long gone: then an empty one stands in for it until place_fini. */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "tracer/runner/janitor.h"

struct place {
    char *path; /* what was made; NULL: nothing */
    struct janitor *janitor;
};

/* Makes the directory if it is missing; its parent must be there. */
MUST_USE bool place_make(struct place *place, const char *path, struct janitor *janitor,
                         struct err *err);
void place_fini(struct place *place);

#endif
