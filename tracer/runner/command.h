/* command.h - a command as the user gave it, ready to start: directly when it has no shell syntax.
 *
 * Started directly it costs one exec instead of two, which is what most of the time for a state is.
 * Quotes without substitutions are no shell syntax: `sqlite3 db 'pragma integrity_check'` starts
 * directly. A relative first word with a slash means a program in the caller's directory, for the
 * command itself runs in the workspace. */
#ifndef RUNNER_COMMAND_H
#define RUNNER_COMMAND_H

#include "tracer/base/err.h"

struct command {
    char *text;    /* as given */
    char **argv;   /* NULL-terminated: the words, or {"/bin/sh", "-c", text} */
    char *program; /* absolute path of what is started */
};

/* Splits a command. When it needs no shell its program must exist and be executable: ERR_USAGE
 * otherwise, as for an empty command or an open quote. */
MUST_USE bool command_parse(const char *text, struct command *out, struct err *err);

/* The same for words that are given already (the worker's own command line). */
MUST_USE bool command_of_words(const char *const *argv, struct command *out, struct err *err);

void command_fini(struct command *command);

#endif
