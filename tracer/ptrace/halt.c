#include "halt.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "about.h"
#include "emit.h"
#include "inject.h"
#include "visit.h"

struct iovecs {
    uint64_t at, count;
};

/* An iovec array is cut in the worker's memory: it will not need it again. */
static bool shorten_vectors(const struct tracee *tracee, struct iovecs iovecs, uint64_t bytes,
                            struct err *err)
{
    struct memory_vectors vectors;
    if (!memory_vectors(tracee->tid, iovecs.at, iovecs.count, &vectors))
        return err_usage(err, "the buffers of the call could not be read");
    for (size_t i = 0; i < vectors.count; i++) {
        if (vectors.items[i].iov_len > bytes)
            vectors.items[i].iov_len = bytes;
        bytes -= vectors.items[i].iov_len;
    }
    if (!memory_write_all(tracee->tid, iovecs.at, vectors.items,
                          vectors.count * sizeof *vectors.items))
        return err_system(err, "shorten the buffers of the call");
    return true;
}

static bool shorten_count(const struct tracee *tracee, uint64_t bytes, struct err *err)
{
    struct user_regs_struct regs;
    const long nr = tracee->call.nr;
    if (ptrace(PTRACE_GETREGS, tracee->tid, 0, &regs) == -1)
        return err_system(err, "read the registers of the worker");
    if (nr == SYS_sendfile) {
        regs.r10 = bytes;
    } else if (nr == SYS_copy_file_range || nr == SYS_splice) {
        regs.r8 = bytes;
    } else {
        regs.rdx = bytes;
    }
    if (ptrace(PTRACE_SETREGS, tracee->tid, 0, &regs) == -1)
        return err_system(err, "set the registers of the worker");
    return true;
}

bool halt_shorten(const struct tracee *tracee, uint64_t bytes, struct err *err)
{
    const struct call *call = &tracee->call;
    struct iovecs iovecs = {call->args[1], call->args[2]};
    struct msghdr header;
    switch (call->nr) {
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_vmsplice:
        return shorten_vectors(tracee, iovecs, bytes, err);
    case SYS_sendmsg:
        if (!memory_read_all(tracee->tid, call->args[1], &header, sizeof header))
            return err_usage(err, "the buffers of the call could not be read");
        iovecs = (struct iovecs){(uint64_t)(uintptr_t)header.msg_iov, header.msg_iovlen};
        return shorten_vectors(tracee, iovecs, bytes, err);
    default:
        return shorten_count(tracee, bytes, err);
    }
}

static bool needs_thread(const struct barrier *barrier)
{
    return barrier != NULL && (barrier->want_sync || barrier->does_exit);
}

/* The worker may be killed by somebody else at any moment; what is to be done by its thread is not
 * done then. */
static bool is_lost(const struct err *err)
{
    return err->os_errno == ESRCH;
}

static bool lost(struct err *err)
{
    *err = (struct err){0};
    return err_harness(err, "the worker was killed by somebody else while it was being halted");
}

/* What is written so far is made durable, by the thread itself and on its own descriptor. */
static bool sync_first(struct recorder *recorder, const struct tracee *tracee, struct err *err)
{
    const unsigned long args[6] = {(unsigned long)about_fd(tracee)};
    const struct op *halted = &recorder->halted.op;
    long result = 0;
    struct op op = emit_start(tracee, OP_SYNC);
    op.enter = recorder->writer->trace->count;
    if (!inject_call(tracee->tid, SYS_fsync, args, &result, err))
        return is_lost(err) ? lost(err) : err_while(err, "sync before the halt");
    if (result < 0) {
        errno = (int)-result;
        err_system(err, "barrier: sync of %s", trace_string(recorder->writer->trace, halted->path));
        err->kind = ERR_USAGE;
        return false;
    }
    recorder->halted.has_synced = true;
    if (halted->kind != OP_WRITE)
        return true;
    op.node = halted->node;
    op.path = halted->path;
    op.call = SYS_fsync;
    emit(recorder, &op);
    return true;
}

/* exit_group does not return: what is seen of the thread next is its end, which is left for the
 * loop to see. */
static bool exit_now(struct recorder *recorder, const struct tracee *tracee, int status,
                     struct err *err)
{
    const unsigned long args[6] = {(unsigned long)status};
    long result = 0;
    struct err end = {0};
    recorder->is_killing = true;
    tracees_kill_others(&recorder->tracees, tracee->process);
    if (inject_call(tracee->tid, SYS_exit_group, args, &result, &end))
        return err_harness(err, "the worker's exit came back with %ld", result);
    if (is_lost(&end))
        return true;
    *err = end;
    return false;
}

static void note_halt(struct recorder *recorder, const struct tracee *tracee)
{
    recorder->has_halted = true;
    recorder->halted.thread = tracee->number;
    recorder->halted.pid = tracee->process->pid;
    recorder->halted.tid = tracee->tid;
}

bool halt_before(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    if (needs_thread(recorder->options->barrier)) {
        if (!inject_skip(tracee->tid, err))
            return is_lost(err) ? lost(err) : err_while(err, "halt before a call");
        return halt_after(recorder, tracee, err);
    }
    note_halt(recorder, tracee);
    visit_kill_all(recorder);
    return true;
}

bool halt_after(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    const struct barrier *barrier = recorder->options->barrier;
    note_halt(recorder, tracee);
    if (needs_thread(barrier)) {
        if (tracee->is_ending)
            return lost(err);
        if (barrier->want_sync && !sync_first(recorder, tracee, err))
            return false;
        if (barrier->does_exit)
            return exit_now(recorder, tracee, barrier->exit_status, err);
    }
    visit_kill_all(recorder);
    return true;
}

void halt_note_end(struct recorder *recorder, pid_t pid, int status)
{
    if (pid == recorder->halted.pid)
        recorder->halted.status = status;
    recorder->halted.processes++;
}

bool halt_verify(const struct recorder *recorder, struct err *err)
{
    const struct barrier *barrier = recorder->options->barrier;
    const int status = recorder->halted.status;
    if (barrier == NULL || recorder->halted.processes == 0)
        return true;
    const bool is_right = barrier->does_exit
                              ? WIFEXITED(status) && WEXITSTATUS(status) == barrier->exit_status
                              : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return is_right ||
           err_harness(err,
                       "the halted process %d ended with wait status %#x, not as the barrier says",
                       (int)recorder->halted.pid, (unsigned)status);
}
