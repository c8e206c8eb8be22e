#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tracer/base/log.h"
#include "tracer/base/own.h"
#include "tracer/ptrace/isolate.h"

/* A network and IPC of its own are worth having, but states can be tried without. */
static bool enter_namespaces(struct place *place, struct err *err)
{
    const unsigned needed = ISOLATE_MOUNT | ISOLATE_PID;
    const unsigned net = place->want_host_net ? 0 : ISOLATE_NET;
    struct err refused = {0};
    place->has_net = net != 0;
    if (isolate_enter(needed | ISOLATE_IPC | net, &refused))
        return true;
    LOG(INFO, "%s; trying with less", refused.text);
    place->has_net = false;
    return isolate_enter(needed, err);
}

static bool set_up(struct place *place, struct err *err)
{
    if (!enter_namespaces(place, err) || !isolate_tmpfs(place->promises, err))
        return false;
    if (place->has_net && !isolate_loopback(err))
        return false;
    return place->folder_fd >= 0 ? isolate_bind(place->folder_fd, place->workspace, err)
                                 : isolate_tmpfs(place->workspace, err);
}

static int exit_code_of(pid_t inner)
{
    int status = 0;
    while (waitpid(inner, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The outer process holds nothing that others wait for the end of. */
static void wait_outside(pid_t inner)
{
    close_range(STDERR_FILENO + 1, ~0U, 0);
    _exit(exit_code_of(inner));
}

bool place_enter(struct place *place, pid_t parent, struct err *err)
{
    if (!set_up(place, err))
        return false;
    /* After the change of credentials, which takes it away; whoever dies before it is set is seen
     * by the change of parent. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(0);
    const pid_t inner = fork();
    if (inner < 0)
        return err_system(err, "fork into the slot");
    if (inner > 0)
        wait_outside(inner);
    /* Should the outer process die before this, the end of brink is still seen on its socket. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct err ignored = {0};
    place->has_proc = isolate_proc(&ignored);
    return true;
}

enum trial { TRIAL_WHOLE, TRIAL_PLAIN, TRIAL_REFUSED };

/* In a child: it changes what it runs in. */
static enum trial try_place(struct err *err)
{
    if (!isolate_enter(ISOLATE_MOUNT | ISOLATE_PID, err) || !isolate_tmpfs("/tmp", err))
        return TRIAL_REFUSED;
    const int fd OWN(own_fd) =
        open("/tmp/file", O_CREAT | O_EXCL | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
    const bool is_whole = fd >= 0 && fsetxattr(fd, "user.brink", "x", 1, 0) == 0;
    return is_whole ? TRIAL_WHOLE : TRIAL_PLAIN;
}

bool place_try(bool *is_memory_whole, struct err *why)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_system(why, "make a pipe");
    const int read_end OWN(own_fd) = ends[0];
    int write_end OWN(own_fd) = ends[1];
    const pid_t child = fork();
    if (child < 0)
        return err_system(why, "fork");
    if (child == 0) {
        struct err err = {0};
        const enum trial found = try_place(&err);
        if (found == TRIAL_REFUSED && write(write_end, &err, sizeof err) < 0)
            _exit(TRIAL_REFUSED);
        _exit((int)found);
    }
    own_close_now(&write_end);
    struct err got;
    const bool has_reason = read(read_end, &got, sizeof got) == (ssize_t)sizeof got;
    const int found = exit_code_of(child);
    *is_memory_whole = found == TRIAL_WHOLE;
    if (found == TRIAL_WHOLE || found == TRIAL_PLAIN)
        return true;
    if (has_reason) {
        *why = got;
        return false;
    }
    errno = EPERM;
    return err_system(why, "enter new namespaces");
}

bool place_is_possible(struct err *why)
{
    bool is_memory_whole = false;
    return place_try(&is_memory_whole, why);
}
