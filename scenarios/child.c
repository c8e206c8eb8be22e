#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/runner/environment.h"

/* Signals that brink handles or ignores and a program must not inherit so. */
static const int reset_signals[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE, SIGALRM,
                                    SIGTERM, SIGCHLD, SIGUSR1, SIGUSR2};

void child_free_words(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}

char **child_additions(const struct child_options *options)
{
    const struct plan_command *command = options->command;
    size_t count = 0;
    while (command->environment && command->environment[count])
        count++;
    char **words = mem_new(count + 3, sizeof *words);
    for (size_t i = 0; i < count; i++)
        words[i] = mem_string(command->environment[i]);
    words[count] = mem_format("BRINK_WORKSPACE=%s", options->workspace);
    words[count + 1] = mem_format("PWD=%s", options->dir);
    return words;
}

bool child_stream(const char *name, int *out_fd, struct err *err)
{
    const int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd < 0)
        return err_system(err, "make a file for %s", name);
    fcntl(fd, F_SETFL, O_APPEND); /* several processes may share it */
    *out_fd = fd;
    return true;
}

bool child_input(const struct plan_command *command, int *out_fd, struct err *err)
{
    if (!command->input) {
        *out_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        return *out_fd >= 0 || err_system(err, "open /dev/null");
    }
    int fd OWN(own_fd) = -1;
    const size_t size = strlen(command->input);
    if (!child_stream("stdin", &fd, err))
        return false;
    if (write(fd, command->input, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
        return err_system(err, "write stdin");
    *out_fd = own_take_fd(&fd);
    return true;
}

struct streams {
    int in, out, error;
};

static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none;
    sigset_t reset;
    sigemptyset(&none);
    sigemptyset(&reset);
    for (size_t i = 0; i < sizeof reset_signals / sizeof *reset_signals; i++)
        sigaddset(&reset, reset_signals[i]);
    const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID;
    int failed = posix_spawnattr_setsigmask(attributes, &none);
    failed = failed ? failed : posix_spawnattr_setsigdefault(attributes, &reset);
    return failed ? failed : posix_spawnattr_setflags(attributes, flags);
}

static int set_actions(posix_spawn_file_actions_t *actions, const struct streams *streams,
                       const char *dir)
{
    int failed = posix_spawn_file_actions_adddup2(actions, streams->in, STDIN_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(actions, streams->out, STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(actions, streams->error, STDERR_FILENO);
    return failed ? failed : posix_spawn_file_actions_addchdir_np(actions, dir);
}

static int spawn(const struct child_options *options, const struct streams *streams, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    struct environment environment;
    char **additions = child_additions(options);
    environment_init(&environment, (const char *const *)additions);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int failed = set_actions(&actions, streams, options->dir);
    failed = failed ? failed : set_attributes(&attributes);
    char **argv = NULL;
    memcpy(&argv, &options->command->argv, sizeof argv); /* exec does not change them */
    if (!failed)
        failed = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment.items);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    environment_fini(&environment);
    child_free_words(additions);
    return failed;
}

static bool start(const struct child_options *options, const struct streams *streams, pid_t *pid,
                  struct err *err)
{
    const int failed = spawn(options, streams, pid);
    if (failed == 0)
        return true;
    errno = failed;
    err_system(err, "%s: start %s", options->name, options->command->argv[0]);
    err->kind = failed == EAGAIN || failed == ENOMEM ? ERR_SYSTEM : ERR_USAGE;
    return false;
}

/* Waits until it has ended; false: it had to be killed. */
static bool wait_end(pid_t pid, int64_t timeout_ns, int *status)
{
    const int64_t deadline = clock_now() + timeout_ns;
    const int pidfd OWN(own_fd) = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd watched = {.fd = pidfd, .events = POLLIN};
    int ready = 0;
    do {
        ready = poll(&watched, 1, clock_left_ms(deadline));
    } while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        kill(pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        continue;
    return ready > 0;
}

bool child_run(const struct child_options *options, struct ended *out, struct err *err)
{
    int in OWN(own_fd) = -1;
    int stdout_fd OWN(own_fd) = -1;
    int stderr_fd OWN(own_fd) = -1;
    if (!child_input(options->command, &in, err) || !child_stream("stdout", &stdout_fd, err) ||
        !child_stream("stderr", &stderr_fd, err))
        return false;
    const struct streams streams = {in, stdout_fd, stderr_fd};
    struct ended ended = {.is_set = true};
    if (!start(options, &streams, &ended.pid, err))
        return false;
    ended.has_timed_out = !wait_end(ended.pid, options->command->timeout_ns, &ended.status);
    if (!ended_take_text(stdout_fd, &ended.out, err) ||
        !ended_take_text(stderr_fd, &ended.error, err)) {
        ended_fini(&ended);
        return false;
    }
    ended_fini(out);
    *out = ended;
    return true;
}

bool child_start(const struct child_options *options, int log_fd, pid_t *out, struct err *err)
{
    int in OWN(own_fd) = -1;
    if (!child_input(options->command, &in, err))
        return false;
    const struct streams streams = {in, log_fd, log_fd};
    return start(options, &streams, out, err);
}

static bool is_kept(const pid_t *kept, size_t count, pid_t pid)
{
    for (size_t i = 0; i < count; i++) {
        if (kept[i] == pid)
            return true;
    }
    return false;
}

/* One look at our children: kills and reaps those that are not kept. */
static size_t kill_once(const pid_t *kept, size_t count)
{
    char text[4096];
    const int fd OWN(own_fd) = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    const ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    size_t killed = 0;
    text[size > 0 ? size : 0] = '\0';
    for (char *at = text;;) {
        char *end = at;
        const pid_t pid = (pid_t)strtol(at, &end, 10);
        /* A number that the buffer cut off is another process: it has no space behind it. */
        if (end == at || *end != ' ')
            return killed;
        at = end;
        if (is_kept(kept, count, pid))
            continue;
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        killed++;
    }
}

size_t child_kill_rest(const pid_t *kept, size_t count)
{
    size_t total = 0;
    for (size_t killed = 1; killed > 0; total += killed)
        killed = kill_once(kept, count);
    return total;
}
