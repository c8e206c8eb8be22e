/* group_second.h - findings of the second crash: which op of which recovery must not be the last.
 */
#ifndef FINDINGS_GROUP_SECOND_H
#define FINDINGS_GROUP_SECOND_H

#include "tracer/trace/verdict.h"

/* Adds the findings of run->second to those of the run, one for each cause over all recoveries. */
MUST_USE bool group_second(struct run *run, struct err *err);

#endif
