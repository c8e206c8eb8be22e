/* damage.h - changes a file of the workspace on purpose, as a step of a scenario. */
#ifndef SCENARIOS_DAMAGE_H
#define SCENARIOS_DAMAGE_H

#include "plan.h"

/* A bit that lies behind the end of the file, or a file that is not there, is an ERR_USAGE. */
MUST_USE bool damage_do(const struct plan_damage *damage, int dir_fd, struct err *err);

#endif
