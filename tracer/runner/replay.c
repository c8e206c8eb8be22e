#include "replay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pool.h"
#include "tracer/base/folder.h"
#include "tracer/base/log.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* The shell runs in the terminal's foreground, as if it had been started by the caller's shell. */
static bool run_shell(const struct environment *environment, struct err *err)
{
    const char *wanted = getenv("SHELL");
    const char *shell = wanted && access(wanted, X_OK) == 0 ? wanted : "/bin/sh";
    char *path OWN(own_mem) = mem_string(shell);
    char *argv[] = {path, NULL};
    pid_t pid = 0;
    errno = posix_spawn(&pid, shell, NULL, NULL, argv, environment->items);
    if (errno != 0)
        return err_system(err, "start %s", shell);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return true;
}

bool replay_inside(const struct work *work, int dir_fd, const struct environment *environment,
                   struct err *err)
{
    if (work->keep_fd >= 0 && !folder_copy(dir_fd, work->keep_fd, err))
        return err_while(err, "keep the state");
    return !work->replay->want_shell || run_shell(environment, err);
}

static bool open_keep(const char *path, int *out, struct err *err)
{
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return err_system(err, "make %s", path);
    *out = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *out >= 0 || err_system(err, "open %s", path);
}

/* An interactive shell takes the terminal's foreground for itself; whoever started brink wants to
 * find it as it was. */
static void take_terminal_back(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGTTOU, &ignore, &before);
    if (isatty(STDIN_FILENO) && tcsetpgrp(STDIN_FILENO, getpgrp()) < 0)
        LOG(WARN, "the terminal cannot be taken back");
    sigaction(SIGTTOU, &before, NULL);
}

bool job_replay(const struct job_options *options, const struct state *state,
                const struct replay_options *replay, struct verdict *out, struct err *err)
{
    static const uint32_t order[] = {0};
    struct verdict verdict = {.recover_status = -1, .check_status = -1};
    int keep_fd OWN(own_fd) = -1;
    if (replay->keep_dir && !open_keep(replay->keep_dir, &keep_fd, err))
        return false;
    struct work work = {.options = options,
                        .states = state,
                        .order = order,
                        .count = 1,
                        .replay = replay,
                        .keep_fd = keep_fd};
    struct pool_outcome outcome = {.verdicts = &verdict};
    const bool is_done = pool_run(&work, &outcome, err);
    if (replay->want_shell)
        take_terminal_back();
    free(outcome.note);
    if (!is_done)
        return false;
    *out = verdict;
    return true;
}
