/* state_folders.h - states/<id>/ for violated states: what the crash left, and what came of it.
 *
 * Each holds workspace/ (the files as the crash left them), acked (what the worker had printed),
 * output (of recovery and check) and about.txt. The states that findings name come first; when
 * there are too many, the rest is left out and a note says how to get at them. */
#ifndef CLI_STATE_FOLDERS_H
#define CLI_STATE_FOLDERS_H

#include "tracer/trace/verdict.h"

/* *note: a line for the user, which the caller frees, or NULL. Replaces an old states/. */
MUST_USE bool state_folders_write(const struct run *run, int dir_fd, char **note, struct err *err);

#endif
