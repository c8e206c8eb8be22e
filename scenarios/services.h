/* services.h - all programs outside the worker that a scenario names, started and stopped together.
 */
#ifndef SCENARIOS_SERVICES_H
#define SCENARIOS_SERVICES_H

#include "service.h"

struct services {
    struct service *items; /* one for each of the plan's */
    size_t count;
};

struct services_place {
    const char *state; /* their working directory; empty */
    const char *workspace;
};

/* {0} is none; to be stopped whatever happens. The plan must live as long as they run. */
MUST_USE bool services_start(struct services *services, const struct plan *plan,
                             const struct services_place *place, struct err *err);

/* They all have a command that brings them back to their beginning, and are alive. */
bool services_can_reset(const struct services *services, const struct plan *plan);

/* Does so, and goes over to the plan of the next run. */
MUST_USE bool services_reset(struct services *services, const struct plan *plan,
                             const struct services_place *place, struct err *err);

/* The name of the first one that is no longer the process that was started, or NULL. */
const char *services_find_dead(const struct services *services);

void services_stop(struct services *services);

/* A port for ${port}: a fixed one where the network is the case's own, else one that nobody uses.
 */
uint16_t services_port(bool is_own_network);

#endif
