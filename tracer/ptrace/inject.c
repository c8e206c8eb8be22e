#include "inject.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/own.h"

/* A thread is driven through a call by pointing it at a syscall instruction of its own and letting
 * it run to the next exit stop. All signals but SIGKILL and SIGSTOP are blocked for that stretch,
 * so no handler of the worker can run in between; what comes all the same is put back. */

enum {
    SIGNAL_SET_SIZE = 8, /* the kernel's sigset_t, which is not glibc's */
    SYSCALL_SIZE = 2,    /* 0f 05 */
    VDSO_SIZE_MAX = 32768,
    SYSCALL_TRAP = SIGTRAP | 0x80,
};

struct injection {
    pid_t tid;
    struct user_regs_struct regs;
    uint64_t blocked;
    uint64_t caught;       /* bit n: signal n came and was held back */
    bool wants_stop_again; /* a group stop or an interrupt was passed over */
};

static bool is_syscall_at(pid_t tid, uint64_t address)
{
    errno = 0;
    const long word = ptrace(PTRACE_PEEKTEXT, tid, address, 0);
    return errno == 0 && ((unsigned long)word & 0xffff) == 0x050f;
}

static uint64_t vdso_address(pid_t tid)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)tid);
    FILE *auxv = fopen(path, "re");
    if (auxv == NULL)
        return 0;
    uint64_t entry[2];
    uint64_t found = 0;
    while (found == 0 && fread(entry, sizeof entry, 1, auxv) == 1 && entry[0] != AT_NULL) {
        if (entry[0] == AT_SYSINFO_EHDR)
            found = entry[1];
    }
    fclose(auxv);
    return found;
}

/* At a system call stop the instruction is the one just done; elsewhere the vdso has some, and two
 * such bytes inside another instruction serve as well, for the thread never goes on after them. */
static uint64_t syscall_address(const struct injection *injection)
{
    const uint64_t before = injection->regs.rip - SYSCALL_SIZE;
    if (is_syscall_at(injection->tid, before))
        return before;
    const uint64_t vdso = vdso_address(injection->tid);
    for (uint64_t at = vdso; vdso != 0 && at < vdso + VDSO_SIZE_MAX; at++) {
        errno = 0;
        if (is_syscall_at(injection->tid, at))
            return at;
        if (errno != 0)
            return 0;
    }
    return 0;
}

/* Waits for the next stop and takes it, but leaves an end (and the stop before one) untaken. */
static bool wait_stop(pid_t tid, int *status, struct err *err)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL) == -1) {
        if (errno != EINTR)
            return err_system(err, "wait for thread %d", (int)tid);
    }
    const bool is_exit_event =
        info.si_code == CLD_TRAPPED && (info.si_status >> 8) == PTRACE_EVENT_EXIT;
    if ((info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) || is_exit_event) {
        errno = ESRCH;
        return err_system(err, "thread %d was killed", (int)tid);
    }
    while (waitpid(tid, status, __WALL) == -1) {
        if (errno != EINTR)
            return err_system(err, "wait for thread %d", (int)tid);
    }
    return true;
}

/* True at a system call stop; other stops are remembered and passed over. */
static bool note_stop(struct injection *injection, int status)
{
    const int signo = WSTOPSIG(status);
    const int event = (int)((unsigned)status >> 16);
    if (event == PTRACE_EVENT_STOP)
        injection->wants_stop_again = true;
    if (event != 0)
        return false;
    if (signo == SYSCALL_TRAP)
        return true;
    injection->caught |= UINT64_C(1) << signo;
    return false;
}

static bool run_to_syscall_stop(struct injection *injection, struct err *err)
{
    for (;;) {
        int status = 0;
        if (ptrace(PTRACE_SYSCALL, injection->tid, 0, 0) == -1)
            return err_system(err, "let thread %d go on", (int)injection->tid);
        if (!wait_stop(injection->tid, &status, err))
            return false;
        if (note_stop(injection, status))
            return true;
    }
}

static bool put_back(const struct injection *injection, struct err *err)
{
    const pid_t tid = injection->tid;
    if (ptrace(PTRACE_SETREGS, tid, 0, &injection->regs) == -1)
        return err_system(err, "put back the registers of thread %d", (int)tid);
    if (ptrace(PTRACE_SETSIGMASK, tid, SIGNAL_SET_SIZE, &injection->blocked) == -1)
        return err_system(err, "put back the signal mask of thread %d", (int)tid);
    for (int signo = 1; signo < 64; signo++) {
        if ((injection->caught >> signo & 1) != 0)
            syscall(SYS_tkill, tid, signo);
    }
    if (injection->wants_stop_again)
        ptrace(PTRACE_INTERRUPT, tid, 0, 0);
    return true;
}

static bool drive(struct injection *injection, long nr, const unsigned long args[6], long *result,
                  struct err *err)
{
    struct user_regs_struct regs = injection->regs;
    regs.rip = syscall_address(injection);
    if (regs.rip == 0)
        return err_usage(err, "no system call instruction found in thread %d", (int)injection->tid);
    regs.rax = (unsigned long)nr;
    regs.orig_rax = (unsigned long)-1; /* so that the kernel restarts nothing on the way */
    regs.rdi = args[0];
    regs.rsi = args[1];
    regs.rdx = args[2];
    regs.r10 = args[3];
    regs.r8 = args[4];
    regs.r9 = args[5];
    if (ptrace(PTRACE_SETREGS, injection->tid, 0, &regs) == -1)
        return err_system(err, "set the registers of thread %d", (int)injection->tid);
    for (int stops = 0; stops < 2; stops++) { /* its entry, its exit */
        if (!run_to_syscall_stop(injection, err))
            return false;
    }
    if (ptrace(PTRACE_GETREGS, injection->tid, 0, &regs) == -1)
        return err_system(err, "read the registers of thread %d", (int)injection->tid);
    *result = (long)regs.rax;
    return true;
}

bool inject_call(pid_t tid, long nr, const unsigned long args[6], long *result, struct err *err)
{
    struct injection injection = {.tid = tid};
    const uint64_t all = UINT64_MAX;
    if (ptrace(PTRACE_GETREGS, tid, 0, &injection.regs) == -1)
        return err_system(err, "read the registers of thread %d", (int)tid);
    if (ptrace(PTRACE_GETSIGMASK, tid, SIGNAL_SET_SIZE, &injection.blocked) == -1 ||
        ptrace(PTRACE_SETSIGMASK, tid, SIGNAL_SET_SIZE, &all) == -1)
        return err_system(err, "block the signals of thread %d", (int)tid);

    long returned = 0;
    const bool is_done = drive(&injection, nr, args, &returned, err);
    if (!is_done && err->os_errno == ESRCH)
        return false;
    struct err ignored = {0}; /* the first reason is the one to tell */
    if (!put_back(&injection, is_done ? err : &ignored) || !is_done)
        return false;
    *result = returned;
    return true;
}

bool inject_skip(pid_t tid, struct err *err)
{
    struct injection injection = {.tid = tid};
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tid, 0, &regs) == -1)
        return err_system(err, "read the registers of thread %d", (int)tid);
    regs.orig_rax = (unsigned long)-1;
    regs.rax = (unsigned long)-EINTR;
    if (ptrace(PTRACE_SETREGS, tid, 0, &regs) == -1)
        return err_system(err, "set the registers of thread %d", (int)tid);
    return run_to_syscall_stop(&injection, err);
}
