/* scene_run.h - goes through one run of a case: worker, steps, and checks at their moments. */
#ifndef SCENARIOS_SCENE_RUN_H
#define SCENARIOS_SCENE_RUN_H

#include "scene.h"
#include "service.h"

struct scene_options {
    const struct service *services; /* running; one for each of the plan's */
    const uint32_t *order;          /* of lock hand-overs; NULL: none */
    const char *explored;           /* does not exist: for what an exploration gives */
    bool is_last;                   /* no run of the case comes after it */
};

/* The workspace and the services are there. An err makes the run void: nothing that was observed
 * counts. */
MUST_USE bool scene_run(struct scene *scene, const struct scene_options *options, struct err *err);

#endif
