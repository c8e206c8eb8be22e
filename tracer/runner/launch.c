#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static int init_actions(struct launcher *launcher)
{
    const int console = launcher->console->write_end;
    int failed = posix_spawn_file_actions_init(&launcher->actions);
    if (failed)
        return failed;
    posix_spawn_file_actions_t *actions = &launcher->actions;
    failed = posix_spawn_file_actions_adddup2(actions, launcher->null_fd, STDIN_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(actions, console, STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(actions, console, STDERR_FILENO);
    return failed;
}

static int init_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t reset;
    sigemptyset(&none);
    /* All of them: what brink ignores or handles is not a command's concern, and for those that are
     * left out the library makes two calls each instead of one. */
    sigfillset(&reset);
    int failed = posix_spawnattr_init(attributes);
    if (!failed)
        failed = posix_spawnattr_setsigmask(attributes, &none);
    if (!failed)
        failed = posix_spawnattr_setsigdefault(attributes, &reset);
    const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
    if (!failed)
        failed = posix_spawnattr_setflags(attributes, flags);
    return failed;
}

bool launcher_init(struct launcher *launcher, struct err *err)
{
    launcher->null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (launcher->null_fd < 0)
        return err_system(err, "open /dev/null");
    errno = init_actions(launcher);
    if (errno == 0)
        errno = init_attributes(&launcher->attributes);
    if (errno != 0) {
        own_close_now(&launcher->null_fd);
        return err_system(err, "prepare to start commands");
    }
    return true;
}

void launcher_fini(struct launcher *launcher)
{
    own_close_now(&launcher->null_fd);
    posix_spawn_file_actions_destroy(&launcher->actions);
    posix_spawnattr_destroy(&launcher->attributes);
}

/* A file without "#!" is a shell script, as for any shell. */
static int spawn_script(const struct launcher *launcher, const struct command *command, pid_t *pid)
{
    size_t count = 0;
    while (command->argv[count])
        count++;
    const char **argv OWN(own_mem) = mem_new(count + 2, sizeof *argv);
    argv[0] = "/bin/sh";
    argv[1] = command->program;
    for (size_t i = 1; i < count; i++)
        argv[i + 1] = command->argv[i];
    const void *words = argv;
    return posix_spawn(pid, "/bin/sh", &launcher->actions, &launcher->attributes, words,
                       launcher->environment);
}

/* Refusals that are about the program, not about us: the state may have lost or broken it. */
static bool is_programs_fault(int reason)
{
    const int reasons[] = {ENOENT, EACCES,  ENOEXEC, ENOTDIR, EISDIR,      ELOOP,
                           EPERM,  ELIBBAD, ETXTBSY, EINVAL,  ENAMETOOLONG};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (reasons[i] == reason)
            return true;
    }
    return false;
}

/* *pid stays 0 when the program cannot be started; then *status says so. */
static bool spawn(struct launcher *launcher, const struct command *command, pid_t *pid, int *status,
                  struct err *err)
{
    console_prepare(launcher->console);
    int reason = posix_spawn(pid, command->program, &launcher->actions, &launcher->attributes,
                             command->argv, launcher->environment);
    if (reason == ENOEXEC)
        reason = spawn_script(launcher, command, pid);
    if (reason == 0)
        return true;
    *pid = 0;
    if (!is_programs_fault(reason)) {
        errno = reason;
        return err_system(err, "start %.150s", command->text);
    }
    console_say(launcher->console, "%.300s: cannot be started: %s\n", command->program,
                strerror(reason));
    *status = (reason == ENOENT ? 127 : 126) << 8;
    return true;
}

/* For poll: -1 when there is no limit. */
static int left_ms(int64_t deadline)
{
    return deadline ? clock_left_ms(deadline) : -1;
}

static enum launch_end watch(struct launcher *launcher, int pidfd, int64_t deadline)
{
    enum { END, OUTPUT, MAPPING, CANCEL, COUNT };
    struct pollfd fds[COUNT] = {
        [END] = {.fd = pidfd, .events = POLLIN},
        [OUTPUT] = {.fd = launcher->console->read_end, .events = POLLIN},
        [MAPPING] = {.fd = launcher->guard->fd, .events = POLLIN},
        [CANCEL] = {.fd = launcher->cancel_fd, .events = POLLIN},
    };
    for (;;) {
        const int ready = poll(fds, COUNT, left_ms(deadline));
        if (ready < 0)
            continue; /* a signal; each descriptor is looked at again */
        if (fds[MAPPING].revents & POLLIN)
            guard_answer(launcher->guard);
        if (fds[OUTPUT].revents)
            console_drain(launcher->console);
        if (fds[END].revents)
            return LAUNCH_ENDED;
        if (fds[CANCEL].revents)
            return LAUNCH_CANCELLED;
        if (left_ms(deadline) == 0)
            return LAUNCH_TIMED_OUT;
    }
}

bool launch(struct launcher *launcher, const struct command *command, struct launched *out,
            struct err *err)
{
    const int64_t deadline = launcher->timeout_ns ? clock_now() + launcher->timeout_ns : 0;
    struct launched done = {.end = LAUNCH_ENDED};
    pid_t pid = 0;
    if (!spawn(launcher, command, &pid, &done.status, err))
        return false;
    if (pid != 0) {
        const int pidfd OWN(own_fd) = (int)syscall(SYS_pidfd_open, pid, 0);
        const bool is_watched = pidfd >= 0 || err_system(err, "watch %.150s", command->text);
        done.end = is_watched ? watch(launcher, pidfd, deadline) : LAUNCH_CANCELLED;
        if (done.end != LAUNCH_ENDED)
            kill(pid, SIGKILL);
        while (waitpid(pid, &done.status, 0) < 0 && errno == EINTR)
            continue;
        console_drain(launcher->console);
        if (!is_watched)
            return false;
    }
    *out = done;
    return true;
}

/* The children of this thread, as the kernel lists them; false: none. */
static bool kill_children(void)
{
    char text[4096];
    const int fd OWN(own_fd) = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (size <= 0)
        return false;
    text[size] = '\0';
    char *at = text;
    for (;;) {
        char *end = at;
        const long pid = strtol(at, &end, 10);
        if (end == at)
            return true;
        /* A number that the buffer cut off is another process: it has no space behind it. */
        if (*end == ' ')
            kill((pid_t)pid, SIGKILL);
        at = end;
    }
}

static void reap_all(void)
{
    while (waitpid(-1, NULL, 0) >= 0 || errno == EINTR)
        continue;
}

void launch_kill_rest(const struct launcher *launcher)
{
    if (launcher->is_pid_1) {
        kill(-1, SIGKILL); /* one pass is enough: a fork that meets a fatal signal fails */
        reap_all();
        return;
    }
    /* As a subreaper we get the children of those that we kill, and kill them in turn. */
    while (waitpid(-1, NULL, WNOHANG) >= 0) {
        kill_children();
        waitpid(-1, NULL, 0);
    }
}
