/* workspace.h - the private copies of the user's directory that workers run in.
 *
 * The user's own directory is never written. The copy lies in a hidden folder beside it, so that
 * both are on one file system, and is mounted at its path for a run; a second, pristine copy stays
 * for further runs. Where nothing can be mounted the user's directory is moved aside for as long
 * as the workspace is open, and the copy stands at its path. All of it is entrusted to the janitor.
 */
#ifndef RUNNER_WORKSPACE_H
#define RUNNER_WORKSPACE_H

#include "janitor.h"

struct workspace;

struct workspace_options {
    const char *dir;   /* as the user gave it; NULL: a new empty temporary directory */
    const char *init;  /* initial content instead of dir's; NULL: none */
    const char *setup; /* shell command that runs in the copy first, unrecorded; NULL: none */
    const char *const *exclude; /* patterns (as snapshot.h); what matches is copied all the same,
                                   for the worker may need it */
    const char *const *environment; /* K=V additions for setup; NULL-terminated, or NULL */
    struct janitor *janitor;
};

/* Makes the copies. ERR_USAGE, one line, for a dir that is not there, no directory or "/", an init
 * that cannot be read, a setup that fails. */
MUST_USE bool workspace_prepare(const struct workspace_options *options, struct workspace **out,
                                struct err *err);

/* Removes all copies; the user's directory stands at its path again. NULL is nothing. */
void workspace_close(struct workspace *workspace);

/* The absolute path, without links, that the worker sees. */
const char *workspace_path(const struct workspace *workspace);

/* The private copy, for record_options; -1 when it stands at the path itself. workspace_fd is never
 * -1: the same directory, for reading it. */
int workspace_copy_fd(const struct workspace *workspace);
int workspace_fd(const struct workspace *workspace);

/* Makes the copy anew from the pristine one, for another run. */
MUST_USE bool workspace_renew(struct workspace *workspace, struct err *err);

/* The folder with the pristine copy, and one where more copies may be made. */
const char *workspace_pristine(const struct workspace *workspace);
const char *workspace_temporary(const struct workspace *workspace);

/* What the user should know about where the copies are; NULL: nothing. */
const char *workspace_note(const struct workspace *workspace);

#endif
