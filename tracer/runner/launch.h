/* launch.h - starts a command and waits for its end, with a time limit.
 *
 * By posix_spawn, whose cost does not depend on how much memory we hold (fork's does: 24 ms with
 * 512 MB). The command gets a session of its own, the caller's working directory, /dev/null as
 * stdin, the console as stdout and stderr, and default signals. Only its first process is waited
 * for; what else it started goes on, until launch_kill_rest. */
#ifndef RUNNER_LAUNCH_H
#define RUNNER_LAUNCH_H

#include <spawn.h>
#include <stdint.h>

#include "command.h"
#include "console.h"
#include "guard.h"

struct launcher {
    struct console *console;
    struct guard *guard;
    int cancel_fd;      /* readable or hung up: stop at once; -1: never */
    bool is_pid_1;      /* all processes that we see are ours; else we are a subreaper */
    int64_t timeout_ns; /* for each command; 0: none */
    char **environment;
    int null_fd; /* this and the rest are its own */
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

/* The fields above null_fd are the caller's to set, before and between commands. */
MUST_USE bool launcher_init(struct launcher *launcher, struct err *err);
void launcher_fini(struct launcher *launcher);

enum launch_end {
    LAUNCH_ENDED,     /* by itself */
    LAUNCH_TIMED_OUT, /* it was killed */
    LAUNCH_CANCELLED, /* it was killed */
};

struct launched {
    enum launch_end end;
    int status; /* wait status; that of an exit with 127 or 126 when it could not be started, as a
                   shell has it, with a line on the console */
};

MUST_USE bool launch(struct launcher *launcher, const struct command *command, struct launched *out,
                     struct err *err);

/* Kills and reaps everything that commands have left. */
void launch_kill_rest(const struct launcher *launcher);

#endif
