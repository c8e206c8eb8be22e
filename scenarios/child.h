/* child.h - starts a program of a run and waits for its end; its streams go to memory. */
#ifndef SCENARIOS_CHILD_H
#define SCENARIOS_CHILD_H

#include "ended.h"

struct child_options {
    const struct plan_command *command;
    const char *name; /* for messages */
    const char *dir;  /* working directory */
    const char *workspace;
};

/* Runs it to its end. A program that cannot be started is an ERR_USAGE. */
MUST_USE bool child_run(const struct child_options *options, struct ended *out, struct err *err);

/* Starts it only: its stdout and stderr go to log_fd. */
MUST_USE bool child_start(const struct child_options *options, int log_fd, pid_t *out,
                          struct err *err);

/* A file without a name, for a stream; appended to, close on exec. */
MUST_USE bool child_stream(const char *name, int *out_fd, struct err *err);

/* stdin of a command: its input, or /dev/null. */
MUST_USE bool child_input(const struct plan_command *command, int *out_fd, struct err *err);

/* K=V additions that every program of a run gets: the command's own and BRINK_WORKSPACE. The caller
 * frees each and the array. */
char **child_additions(const struct child_options *options);
void child_free_words(char **words);

/* Kills and reaps all children but those to be kept, and theirs, until there are no others. Gives
 * how many there were. */
size_t child_kill_rest(const pid_t *kept, size_t count);

#endif
