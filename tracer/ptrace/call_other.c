/* Calls that are changed, not recorded. */
#include <errno.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "calls.h"

static void note_refused(struct recorder *recorder, long nr)
{
    if (recorder->writer->trace->about.io_uring_refused++ > 0)
        return;
    trace_writer_note(recorder->writer,
                      "the worker asked for %s and was told that this kernel has no such thing: "
                      "what goes through such a ring cannot be recorded",
                      nr == SYS_io_setup ? "asynchronous I/O (io_setup)" : "io_uring");
}

/* Rings would write files without any system call. Programs have a fallback for kernels without
 * them. The call is skipped; what it returns is -ENOSYS already. */
enum call_next refuse_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    const struct call *call = &tracee->call;
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tracee->tid, 0, &regs) == 0) {
        regs.orig_rax = (unsigned long)-1;
        regs.rax = (unsigned long)-ENOSYS;
        if (ptrace(PTRACE_SETREGS, tracee->tid, 0, &regs) == 0) {
            note_refused(recorder, call->nr);
            return CALL_FREE;
        }
    }
    if (errno == ESRCH)
        return CALL_FREE; /* it has been killed */
    err_system(err, "refuse io_uring to the worker");
    return CALL_FAILED;
}

/* CLONE_UNTRACED would make a thread that runs under the filter and has no tracer: all its recorded
 * calls would fail. */
enum call_next clone_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)err;
    const struct call *call = &tracee->call;
    struct user_regs_struct regs;
    uint64_t flags;
    if (call->nr == SYS_clone3) {
        if (memory_read_all(tracee->tid, call->args[0], &flags, sizeof flags) &&
            (flags & CLONE_UNTRACED) != 0) {
            flags &= ~(uint64_t)CLONE_UNTRACED;
            memory_write_all(tracee->tid, call->args[0], &flags, sizeof flags);
        }
    } else if (ptrace(PTRACE_GETREGS, tracee->tid, 0, &regs) == 0) {
        regs.rdi &= ~(uint64_t)CLONE_UNTRACED;
        ptrace(PTRACE_SETREGS, tracee->tid, 0, &regs);
    }
    return CALL_FREE;
}
