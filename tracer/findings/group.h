/* group.h - from violated states to findings: one for each cause. */
#ifndef FINDINGS_GROUP_H
#define FINDINGS_GROUP_H

#include "window.h"

/* Fills run->findings from its states and verdicts, weakest model first, then in order of ops. */
void group_findings(struct run *run);

/* The parts, for other ways of grouping. What a window of the run is about; the caller owns its
 * texts until it is added. */
struct finding group_window(const struct run *run, const struct window *window);

/* Adds it under the next id; one with the key of an earlier one only adds to that one's states. */
void group_add(struct run *run, struct finding *finding);

#endif
