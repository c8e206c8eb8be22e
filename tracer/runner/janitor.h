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

/* Makes a new folder parent/.brink-XXXXXXXXXX that is entrusted before it exists, so that no moment
 * is left at which a killed brink would leave it behind. Caller frees *out. */
MUST_USE bool janitor_folder(struct janitor *janitor, const char *parent, char **out,
                             struct err *err);

/* Removes a folder that janitor_folder made, and all in it, and forgets it. */
MUST_USE bool janitor_remove(struct janitor *janitor, const char *path, struct err *err);

/* Entrusts a folder (absolute path) to it; janitor_forget when brink removed it itself. */
MUST_USE bool janitor_watch(struct janitor *janitor, const char *path, struct err *err);
void janitor_forget(struct janitor *janitor, const char *path);

/* A directory `aside` that must go back to `path` (replacing what is there); forgotten as above, by
 * the name of aside. To be called before it is moved aside: where aside does not exist, path is
 * left alone. What was entrusted last is restored first. */
MUST_USE bool janitor_restore(struct janitor *janitor, const char *aside, const char *path,
                              struct err *err);

/* Brings it back now, and forgets it. */
MUST_USE bool janitor_bring_back(struct janitor *janitor, const char *aside, const char *path,
                                 struct err *err);

/* Ends it after it has cleaned up whatever is still entrusted to it, and waits for that. */
void janitor_end(struct janitor *janitor);

/* To be called in every forked child that may outlive brink: closes its copy of the pipe. A child
 * that works in an entrusted folder and dies with brink keeps it, so that nothing is cleaned away
 * under it. */
void janitor_leave(struct janitor *janitor);

#endif
