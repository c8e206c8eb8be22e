/* puppet_test.h - for tests: a child process that is traced and stops where the test wants it.
 *
 * puppet_start forks a child that runs `act` under PTRACE_SEIZE. The test lets it run to the entry
 * or exit of a system call of its choice (getppid serves as a signpost), so nothing needs a sleep.
 * All functions fail the running test when something goes wrong. */
#ifndef PTRACE_PUPPET_TEST_H
#define PTRACE_PUPPET_TEST_H

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PUPPET_ENTRY = 1, PUPPET_EXIT = 2 };

static inline pid_t puppet_start(void (*act)(void *), void *context)
{
    int gate[2];
    cr_assert_eq(pipe(gate), 0);
    const pid_t pid = fork();
    cr_assert_geq(pid, 0);
    if (pid == 0) {
        char token = 0;
        close(gate[1]);
        if (read(gate[0], &token, 1) != 1)
            _exit(99);
        close(gate[0]);
        act(context);
        _exit(0);
    }
    close(gate[0]);
    const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
                         PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
    cr_assert_eq(ptrace(PTRACE_SEIZE, pid, 0, options), 0);
    cr_assert_eq(ptrace(PTRACE_INTERRUPT, pid, 0, 0), 0);
    cr_assert_eq(write(gate[1], "g", 1), 1);
    close(gate[1]);
    int status = 0;
    cr_assert_eq(waitpid(pid, &status, __WALL), pid);
    cr_assert(WIFSTOPPED(status));
    return pid;
}

/* Runs a thread on to its next stop; gives the wait status. */
static inline int puppet_step(pid_t tid, int signo)
{
    int status = 0;
    cr_assert_eq(ptrace(PTRACE_SYSCALL, tid, 0, (long)signo), 0);
    cr_assert_eq(waitpid(tid, &status, __WALL), tid);
    return status;
}

/* Runs a thread on to the next entry or exit stop of system call nr. */
static inline void puppet_until(pid_t tid, long nr, int where)
{
    for (int signo = 0;;) {
        const int status = puppet_step(tid, signo);
        cr_assert(WIFSTOPPED(status), "the puppet ended with status %#x", (unsigned)status);
        const bool is_event = (unsigned)status >> 16 != 0;
        signo = is_event ? 0 : WSTOPSIG(status);
        if (signo != (SIGTRAP | 0x80))
            continue;
        signo = 0;
        struct __ptrace_syscall_info info = {0};
        struct user_regs_struct regs;
        cr_assert_gt(ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info), 0);
        cr_assert_eq(ptrace(PTRACE_GETREGS, tid, 0, &regs), 0);
        if ((long)regs.orig_rax == nr && info.op == where)
            return;
    }
}

/* Lets the puppet go on to its end; gives its wait status. */
static inline int puppet_finish(pid_t pid)
{
    for (int status = 0;;) {
        const bool has_signal = status != 0 && (unsigned)status >> 16 == 0;
        const bool is_trap = (WSTOPSIG(status) & 0x7f) == SIGTRAP;
        status = puppet_step(pid, has_signal && !is_trap ? WSTOPSIG(status) : 0);
        if (!WIFSTOPPED(status))
            return status;
    }
}

static inline void puppet_kill(pid_t pid)
{
    int status = 0;
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status))
        ptrace(PTRACE_CONT, pid, 0, 0);
}

#endif
