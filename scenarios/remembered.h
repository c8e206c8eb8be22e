/* remembered.h - how files were at a moment of a run, for checks that they did not change since. */
#ifndef SCENARIOS_REMEMBERED_H
#define SCENARIOS_REMEMBERED_H

#include <stddef.h>

#include "tracer/base/err.h"

struct remembered;

struct remembered *remembered_new(void);
void remembered_free(struct remembered *remembered);

/* Remembers the file of a path (in the directory, or absolute) for a moment: bytes, size, inode,
 * time of change; or that it is not there. */
void remembered_take(struct remembered *remembered, int dir_fd, const char *path,
                     const char *moment);

/* What differs now from then: "size 99, was 49"; NULL: nothing. Caller frees. */
char *remembered_difference(const struct remembered *remembered, int dir_fd, const char *path,
                            const char *moment);

#endif
