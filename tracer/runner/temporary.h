/* temporary.h - where temporary folders may be made. */
#ifndef RUNNER_TEMPORARY_H
#define RUNNER_TEMPORARY_H

#include "tracer/base/err.h"

/* Whether an absolute path lies in a folder, or is it. Both without links and dots. */
bool temporary_is_inside(const char *path, const char *folder);

/* A writable folder for temporary ones: TMPDIR or one of the usual places, the first that does not
 * lie in `avoid` (may be NULL), which a mount may hide. Caller frees *out. */
MUST_USE bool temporary_parent(const char *avoid, char **out, struct err *err);

/* The folder that an absolute path lies in. Caller frees. */
char *temporary_parent_of(const char *path);

#endif
