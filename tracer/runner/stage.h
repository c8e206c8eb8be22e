/* stage.h - what must be there before the slots of a job start, and be gone after it.
 *
 * Folders for mounts, folders for slots on disk, and, where there are no namespaces, the workspace
 * moved aside. Everything is entrusted to the janitor before it is made. */
#ifndef RUNNER_STAGE_H
#define RUNNER_STAGE_H

#include "job.h"

struct stage {
    struct janitor *janitor;
    const char *workspace;
    char *promises; /* folder for the files of promises */
    char *made;     /* the workspace's path, or the first folder of it that was not there */
    char *holder;   /* holds the workspace that was moved aside */
    char *aside;
    char **folders; /* one for each slot on disk; NULL: memory */
    uint32_t slots;
    bool is_isolated;
    bool is_shared_net; /* for the note */
    char *note;         /* for the user, or NULL */
};

/* slots: how many are wanted; stage->slots says how many there will be. */
MUST_USE bool stage_set(struct stage *stage, const struct job_options *options, uint32_t slots,
                        struct err *err);

/* Takes all of it away again; also after a failed stage_set. An error is reported, the rest done
 * all the same. */
MUST_USE bool stage_strike(struct stage *stage, struct err *err);

/* Adds a line to a note. */
void stage_add_note(char **note, const char *line);

#endif
