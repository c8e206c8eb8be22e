#include "setup.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "environment.h"
#include "tracer/base/own.h"
#include "tracer/ptrace/isolate.h"

/* Both processes of it report through one pipe; an err fits into one write. */
NORETURN static void give_up(int report, const struct err *err)
{
    _exit(write(report, err, sizeof *err) == (ssize_t)sizeof *err ? 1 : 2);
}

NORETURN static void start_shell(const struct setup *setup, int report)
{
    struct err err = {0};
    struct environment environment;
    environment_init(&environment, setup->environment);
    environment_put(&environment, "PWD", setup->path);
    environment_put(&environment, "BRINK_WORKSPACE", setup->path);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (chdir(setup->path) < 0) {
        err_system(&err, "enter %s", setup->path);
        give_up(report, &err);
    }
    execle("/bin/sh", "sh", "-c", setup->text, (char *)NULL, environment.items);
    err_system(&err, "start /bin/sh");
    give_up(report, &err);
}

static int status_of(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* pid 1 of its own namespace, so that what the shell leaves behind goes with it. */
NORETURN static void be_pid_1(const struct setup *setup, int report)
{
    struct err ignored = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)!isolate_proc(&ignored); /* where it is refused the outer one does */
    const pid_t shell = fork();
    if (shell == 0)
        start_shell(setup, report);
    const int status = shell < 0 ? 1 << 8 : status_of(shell);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

NORETURN static void run_isolated(const struct setup *setup, int report)
{
    struct err err = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!isolate_enter(ISOLATE_MOUNT | ISOLATE_PID, &err) ||
        !isolate_bind(setup->copy_fd, setup->path, &err))
        give_up(report, &err);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* new credentials took it away */
    const pid_t inner = fork();
    if (inner == 0)
        be_pid_1(setup, report);
    const int status = inner < 0 ? 1 << 8 : status_of(inner);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

bool setup_run(const struct setup *setup, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_system(err, "make a pipe");
    const int read_end OWN(own_fd) = ends[0];
    int write_end OWN(own_fd) = ends[1];
    const pid_t child = fork();
    if (child < 0)
        return err_system(err, "start the setup command");
    if (child == 0 && setup->copy_fd >= 0)
        run_isolated(setup, write_end);
    if (child == 0)
        start_shell(setup, write_end);
    own_close_now(&write_end);
    const int status = status_of(child);
    struct err reported;
    if (read(read_end, &reported, sizeof reported) == (ssize_t)sizeof reported) {
        *err = reported;
        return err_while(err, "setup");
    }
    if (WIFSIGNALED(status))
        return err_usage(err, "setup was killed by signal %d: %s", WTERMSIG(status), setup->text);
    if (status != 0)
        return err_usage(err, "setup exited with %d: %s", WEXITSTATUS(status), setup->text);
    return true;
}
