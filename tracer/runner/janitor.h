/* janitor.h - a process that cleans up when brink is gone, however it went.
 *
 * Started first of all, in a session of its own, with the read end of a pipe whose other end only
 * brink holds: the end of the pipe is the end of brink. It then removes the folders that were
 * entrusted to it and moves back a workspace that was moved aside. */
#ifndef RUNNER_JANITOR_H
#define RUNNER_JANITOR_H

#include "tracer/base/err.h"

struct janitor;

MUST_USE bool janitor_start(struct janitor **out, struct err *err);

/* Entrusts a folder (absolute path) to it; janitor_forget when brink removed it itself. */
MUST_USE bool janitor_watch(struct janitor *janitor, const char *path, struct err *err);
void janitor_forget(struct janitor *janitor, const char *path);

/* A directory `aside` that must go back to `path` (replacing what is there); forgotten as above. */
MUST_USE bool janitor_restore(struct janitor *janitor, const char *aside, const char *path,
                              struct err *err);

/* Ends it after it has cleaned up whatever is still entrusted to it, and waits for that. */
void janitor_end(struct janitor *janitor);

/* To be called in every forked child that lives on: closes its copy of the pipe. */
void janitor_leave(struct janitor *janitor);

#endif
