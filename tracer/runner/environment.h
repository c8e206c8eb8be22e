/* environment.h - what commands find in their environment: the caller's, the user's additions, and
 * what brink tells about the state. */
#ifndef RUNNER_ENVIRONMENT_H
#define RUNNER_ENVIRONMENT_H

#include "tracer/trace/verdict.h"

struct environment {
    char **items; /* NULL-terminated: for posix_spawn */
    size_t count, capacity;
    char state[64]; /* the two that change from state to state stand here */
    char model[32];
};

/* Fills the fixed variables. additions: K=V, NULL-terminated, or NULL; they win over the caller's,
 * and BRINK_... over both. The struct must stay where it is. */
void environment_init(struct environment *environment, const char *const *additions);
void environment_fini(struct environment *environment);

void environment_put(struct environment *environment, const char *name, const char *value);

/* BRINK_STATE and BRINK_MODEL. */
void environment_set_state(struct environment *environment, const struct state *state);

#endif
