#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolate.h"
#include "tracer/base/own.h"

static bool wait_for(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool try_mount(struct err *err)
{
    return isolate_enter(ISOLATE_MOUNT, err) && isolate_tmpfs("/tmp", err);
}

static bool try_net(struct err *err)
{
    return isolate_enter(ISOLATE_NET, err) && isolate_loopback(err);
}

static bool try_pid(struct err *err)
{
    if (!isolate_enter(ISOLATE_MOUNT | ISOLATE_PID, err))
        return false;
    const pid_t child = fork();
    if (child < 0)
        return err_system(err, "fork in a new pid namespace");
    if (child == 0)
        _exit(getpid() == 1 ? 0 : 1);
    if (wait_for(child))
        return true;
    errno = ECHILD;
    return err_system(err, "start pid 1 of a new pid namespace");
}

static bool try_ptrace(struct err *err)
{
    const pid_t child = fork();
    if (child < 0)
        return err_system(err, "fork");
    if (child == 0) {
        for (;;)
            pause();
    }
    const bool is_done = ptrace(PTRACE_SEIZE, child, 0, (unsigned long)PTRACE_O_EXITKILL) == 0 ||
                         err_system(err, "trace a process");
    kill(child, SIGKILL);
    wait_for(child);
    return is_done;
}

static bool try_seccomp(struct err *err)
{
    const unsigned action = SECCOMP_RET_TRACE;
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0)
        return err_system(err, "ask for seccomp filters");
    return true;
}

/* Runs a trial in a child, for it changes the process that makes it. */
static bool try_in_child(bool (*trial)(struct err *err), struct err *why)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    const int read_end OWN(own_fd) = ends[0];
    int write_end OWN(own_fd) = ends[1];
    const pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        struct err err = {0};
        const bool is_done = trial(&err);
        if (!is_done && write(write_end, &err, sizeof err) < 0)
            _exit(2);
        _exit(is_done ? 0 : 1);
    }
    own_close_now(&write_end);
    struct err got;
    const bool has_reason = read(read_end, &got, sizeof got) == (ssize_t)sizeof got;
    const bool is_done = wait_for(child);
    if (has_reason && why->kind == ERR_NONE)
        *why = got;
    return is_done;
}

/* -1 when the setting does not exist. */
static long setting(const char *path)
{
    const int fd OWN(own_fd) = open(path, O_RDONLY | O_CLOEXEC);
    char text[32] = "";
    if (fd < 0 || read(fd, text, sizeof text - 1) <= 0)
        return -1;
    return strtol(text, NULL, 10);
}

static const char *advice(const struct isolate_abilities *found)
{
    if (!found->has_ptrace && setting("/proc/sys/kernel/yama/ptrace_scope") == 3)
        return "; kernel.yama.ptrace_scope=3 forbids it until the next boot";
    if (!found->has_ptrace)
        return "; in a container, allow it with --cap-add=SYS_PTRACE";
    if (setting("/proc/sys/kernel/unprivileged_userns_clone") == 0)
        return "; try sysctl kernel.unprivileged_userns_clone=1";
    if (setting("/proc/sys/user/max_user_namespaces") == 0)
        return "; try sysctl user.max_user_namespaces=10000";
    if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
        return "; try sysctl kernel.apparmor_restrict_unprivileged_userns=0";
    return "; in a container, allow it with --security-opt seccomp=unconfined";
}

void isolate_probe(struct isolate_abilities *out)
{
    struct err why = {0};
    *out = (struct isolate_abilities){0};
    out->has_ptrace = try_in_child(try_ptrace, &why);
    out->has_seccomp = try_in_child(try_seccomp, &why);
    out->has_mount = try_in_child(try_mount, &why);
    out->has_net = try_in_child(try_net, &why);
    out->has_pid = try_in_child(try_pid, &why);
    const bool has_all =
        out->has_ptrace && out->has_seccomp && out->has_mount && out->has_net && out->has_pid;
    if (!has_all)
        snprintf(out->why, sizeof out->why, "%.110s%s", why.text, advice(out));
}
