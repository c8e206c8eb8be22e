#include "births.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "emit.h"
#include "halt.h"
#include "locks.h"
#include "program.h"
#include "robust.h"
#include "turns.h"
#include "visit.h"

static void start_thread(struct recorder *recorder, struct tracee *tracee, uint32_t parent)
{
    const struct trace *trace = recorder->writer->trace;
    const uint32_t program = parent < trace->threads_count ? trace->threads[parent].program : 0;
    const struct trace_thread thread = {.pid = (uint32_t)tracee->process->pid,
                                        .tid = (uint32_t)tracee->tid,
                                        .parent = parent,
                                        .program = program,
                                        .is_main = tracee->tid == tracee->process->pid};
    recorder->processes += thread.is_main;
    tracee->number = trace_writer_thread(recorder->writer, &thread);
    tracee->call.enter = recorder->writer->trace->count;
    struct op op = emit_start(tracee, OP_START);
    op.size = parent;
    emit(recorder, &op);
}

void births_first(struct recorder *recorder, pid_t pid)
{
    recorder->main_pid = pid;
    start_thread(recorder, tracees_add(&recorder->tracees, pid, pid), 0);
}

/* A clone may be a thread of the maker's process or a process of its own; the kernel knows. */
static pid_t process_of(const struct tracee *maker, pid_t tid, int event)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d", (int)maker->process->pid, (int)tid);
    if (event == PTRACE_EVENT_CLONE && access(path, F_OK) == 0)
        return maker->process->pid;
    return tid;
}

/* A thread that was killed and reaped before its maker could tell of it. */
static bool is_gone(const struct recorder *recorder, pid_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d", (int)tid);
    return tracees_find(&recorder->tracees, tid) == NULL && access(path, F_OK) == -1;
}

/* A table of threads keys by process, so an unborn one gets its own and moves when it is told of.
 */
static struct tracee *adopt(struct recorder *recorder, const struct tracee *maker, pid_t tid,
                            pid_t pid)
{
    struct tracee *tracee = tracees_find(&recorder->tracees, tid);
    const bool is_here = tracee != NULL;
    if (is_here)
        tracees_remove(&recorder->tracees, tracee);
    tracee = tracees_add(&recorder->tracees, tid, pid);
    tracee->state = is_here ? TRACEE_RUNNING : TRACEE_EXPECTED;
    if (pid != maker->process->pid)
        tracee->process->filters = maker->process->filters;
    return tracee;
}

bool births_told(struct recorder *recorder, struct tracee *maker, int event, struct err *err)
{
    unsigned long message;
    if (ptrace(PTRACE_GETEVENTMSG, maker->tid, 0, &message) == -1) {
        visit_resume(maker, 0);
        return true;
    }
    const pid_t tid = (pid_t)message;
    if (is_gone(recorder, tid)) {
        visit_resume(maker, 0);
        return true;
    }
    const pid_t pid = process_of(maker, tid, event);
    struct tracee *tracee = adopt(recorder, maker, tid, pid);
    start_thread(recorder, tracee, maker->number);
    if (pid != maker->process->pid && !turns_born(recorder, tracee->process, maker->process, err))
        return false;
    /* A vfork child shares its maker's memory until it execs. */
    if (pid != maker->process->pid && event != PTRACE_EVENT_VFORK && maker->process->has_mappings) {
        tracee->process->has_mappings = true;
        if (!mapped_fork(recorder->mapped, maker->process->pid, pid, err))
            return false;
    }
    if (tracee->state == TRACEE_RUNNING)
        visit_resume(tracee, 0);
    visit_resume(maker, 0);
    if (recorder->is_killing)
        kill(pid, SIGKILL);
    return true;
}

void births_seen(struct recorder *recorder, pid_t tid)
{
    struct tracee *tracee = tracees_add(&recorder->tracees, tid, tid);
    tracee->state = TRACEE_UNBORN;
    if (recorder->is_killing)
        kill(tid, SIGKILL);
}

bool births_exec(struct recorder *recorder, pid_t tid, struct err *err)
{
    unsigned long former = (unsigned long)tid;
    if (ptrace(PTRACE_GETEVENTMSG, tid, 0, &former) == -1)
        return true;
    struct tracee *tracee = tracees_find(&recorder->tracees, (pid_t)former);
    if (tracee == NULL)
        return true;
    if (recorder->serial_tid == tid || recorder->serial_tid == (pid_t)former)
        recorder->serial_tid = 0;
    tracees_exec(&recorder->tracees, tracee);
    if (!visit_release(recorder, tracee, err))
        return false;
    struct process *process = tracee->process;
    if (!robust_execed(recorder, tracee, (pid_t)former, err))
        return false;
    mapped_remove_process(recorder->mapped, process->pid);
    robust_unmapped(recorder, process->pid);
    process->has_mappings = false;
    if (recorder->unwinder != NULL)
        unwinder_forget(recorder->unwinder, process->pid);
    if (!recorder->has_execed)
        files_inherit(recorder->files, process->pid);
    recorder->has_execed = true;
    program_started(recorder, tracee);
    locks_look(recorder, process, SYS_execve);
    sockets_sweep(recorder, tracee);
    visit_resume(tracee, 0);
    return turns_go_on(recorder, err);
}

void births_ended(struct recorder *recorder, struct tracee *tracee, int status)
{
    if (tracee->process->threads == 1)
        locks_look(recorder, tracee->process, SYS_exit_group);
    if (recorder->has_execed && tracee->state != TRACEE_UNBORN) {
        tracee->call.enter = recorder->writer->trace->count;
        struct op op = emit_start(tracee, OP_EXIT);
        op.size = (uint64_t)(unsigned)status;
        emit(recorder, &op);
    }
    if (tracee->process->threads == 1)
        sockets_sweep(recorder, tracee);
    if (recorder->has_halted && tracee->tid == tracee->process->pid)
        halt_note_end(recorder, tracee->tid, status);
    if (tracee->tid == recorder->main_pid) {
        recorder->has_main_ended = true;
        recorder->writer->trace->about.wait_status = status;
    }
    if (tracee->process->threads == 1) {
        turns_ended(recorder, tracee->process->party);
        mapped_remove_process(recorder->mapped, tracee->process->pid);
        if (recorder->unwinder != NULL)
            unwinder_remove(recorder->unwinder, tracee->process->pid);
    }
    tracees_remove(&recorder->tracees, tracee);
}
