/* group.h - from violated states to findings: one for each cause. */
#ifndef FINDINGS_GROUP_H
#define FINDINGS_GROUP_H

#include "tracer/trace/verdict.h"

/* Fills run->findings from its states and verdicts, weakest model first, then in order of ops. */
void group_findings(struct run *run);

#endif
