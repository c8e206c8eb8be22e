/* killing.h - one real kill at a barrier: the worker runs in the workspace itself, which stays. */
#ifndef CLI_KILLING_H
#define CLI_KILLING_H

#include "settings.h"
#include "tracer/ptrace/record.h"

struct killing {
    const struct settings *settings;
    const struct barrier *barrier;
    const char *const *argv;
    const char *const *environment; /* K=V additions; NULL-terminated, or NULL */
    const char *init;               /* folder to be copied into the workspace, or NULL */
    const char *setup;              /* shell command, or NULL */
    const char *dir;                /* workspace, absolute */
    const int *stdin_fd;            /* of the worker; NULL: the caller's */
    const struct record_locks *locks;
    int64_t timeout_ns;
};

/* The workspace that the user named, or a new folder with a name to be seen, which is his from now
 * on. Caller frees. */
MUST_USE bool killing_find_dir(const struct settings *settings, char **out, struct err *err);

/* A folder that was made for it goes, when there is nothing to show for it. */
void killing_drop_dir(const struct settings *settings, const char *dir);

/* Copies the initial content and runs the setup. What the user has in his folder is never
 * replaced. */
MUST_USE bool killing_fill(const struct killing *killing, struct err *err);

/* Runs, halts, kills, tells. *has_run: the worker was started, and the workspace is worth keeping,
 * also when the result is an error. */
MUST_USE bool killing_run(const struct killing *killing, bool *has_run, int *status,
                          struct err *err);

#endif
