/* staging.h - brink kill --scenario: one worker of a scenario with everything around it, killed at
 * one of the scenario's barriers. */
#ifndef CLI_STAGING_H
#define CLI_STAGING_H

#include "settings.h"
#include "tracer/base/err.h"

/* The services run in surroundings of their own (scenarios/cell.h) and end with them; the workspace
 * is the user's, or a new folder, and stays. */
MUST_USE bool staging_kill(const struct settings *settings, int *status, struct err *err);

#endif
