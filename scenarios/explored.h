/* explored.h - a case whose worker is explored: all its crash states, by brink's own exploration.
 *
 * It runs as a program of its own, as a user would start it, on the workspace of the run. What its
 * summary says becomes assertions named "explore: ...". */
#ifndef SCENARIOS_EXPLORED_H
#define SCENARIOS_EXPLORED_H

#include "scene.h"

/* out: a folder for its output, which does not exist. */
MUST_USE bool explored_run(struct scene *scene, const char *out, struct err *err);

#endif
