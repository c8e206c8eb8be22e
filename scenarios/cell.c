#include "cell.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/ptrace/isolate.h"

static int exit_code_of(pid_t inner)
{
    int status = 0;
    while (waitpid(inner, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static bool set_up(const struct cell *cell, struct err *err)
{
    return isolate_enter(ISOLATE_MOUNT | ISOLATE_PID | ISOLATE_NET | ISOLATE_IPC, err) &&
           isolate_loopback(err) && isolate_tmpfs(cell->folder, err);
}

bool cell_enter(struct cell *cell, bool want_isolation, pid_t parent, struct err *err)
{
    cell->is_isolated = want_isolation;
    if (want_isolation && !set_up(cell, err))
        return err_while(err, "surroundings of a case");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    if (!want_isolation) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        return true;
    }
    const pid_t inner = fork();
    if (inner < 0)
        return err_system(err, "fork into the surroundings of a case");
    if (inner > 0) {
        /* It holds nothing that others wait for the end of. */
        close_range(STDERR_FILENO + 1, ~0U, 0);
        _exit(exit_code_of(inner));
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* New credentials make a process and its children unreadable until they exec: the worker could
     * not be traced. */
    prctl(PR_SET_DUMPABLE, 1);
    return isolate_proc(err);
}
