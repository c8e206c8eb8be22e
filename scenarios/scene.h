/* scene.h - one run of a case while it goes on: what has happened so far, for checks to look at. */
#ifndef SCENARIOS_SCENE_H
#define SCENARIOS_SCENE_H

#include "ended.h"
#include "remembered.h"

struct scene {
    const struct plan *plan;
    const char *dir; /* workspace */
    int dir_fd;
    struct ended worker;
    struct ended *steps; /* one for each of the plan's; a repeated one: its last time */
    char *lock_order;    /* in which the worker's processes got their locks; NULL: not asked */
    struct remembered *remembered;
    struct assertions *assertions;
    json_t *children; /* of the evidence: every process that was started */
};

/* dir_fd is taken over. */
void scene_init(struct scene *scene, const struct plan *plan, const char *dir, int dir_fd);
void scene_fini(struct scene *scene);

/* "worker" or a step; NULL when it has not run yet. */
const struct ended *scene_find(const struct scene *scene, const char *name);

/* Keeps a process that has ended for the evidence; expected: how it was to end. */
void scene_add_child(struct scene *scene, const char *name, const struct plan_command *command,
                     const struct ended *ended, const char *expected);

#endif
