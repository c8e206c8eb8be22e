#include "visit.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/ptrace.h>
#include <string.h>
#include <sys/user.h>

#include "emit.h"
#include "filter.h"
#include "halt.h"
#include "robust.h"
#include "tracer/base/clock.h"
#include "turns.h"
#include "watch.h"

#define SERIAL_LIMIT_NS (10 * CLOCK_SECOND)

/* <sys/ptrace.h> and <linux/ptrace.h> do not go together. */
extern long ptrace(int request, ...);

enum {
    RESTART_FIRST = 512, /* ERESTARTSYS and its kin, which only a tracer sees */
    RESTART_LAST = 516,
    X32_BIT = 0x40000000,
};

void visit_resume(const struct tracee *tracee, int signo)
{
    /* A thread that has been killed meanwhile is no longer stopped: its end will tell. */
    ptrace(tracee->is_in_call ? PTRACE_SYSCALL : PTRACE_CONT, tracee->tid, 0, signo);
}

void visit_kill_all(struct recorder *recorder)
{
    recorder->is_killing = true;
    tracees_kill(&recorder->tracees);
}

static void drop_call(struct tracee *tracee)
{
    call_fini(&tracee->call);
    call_init(&tracee->call);
}

/* A call of another table of numbers cannot be told apart from ours by its number. */
static bool foreign(const struct ptrace_syscall_info *info, struct err *err)
{
    const bool is_x32 = info->arch == AUDIT_ARCH_X86_64;
    return err_usage(err,
                     "the worker made a system call of the %s interface (number %llu), which "
                     "brink cannot record: only 64-bit programs can be",
                     is_x32 ? "x32" : "32-bit",
                     (unsigned long long)info->seccomp.nr & ~(unsigned long long)X32_BIT);
}

/* Whether the call is halted at its entry; one that is to be halted inside is shortened. */
static bool look_at_entry(struct recorder *recorder, struct tracee *tracee, bool *is_halted,
                          struct err *err)
{
    struct watch_answer answer = {WATCH_NOT_HERE};
    if (recorder->watch == NULL)
        return true;
    if (!recorder->watch->entry(recorder->watch, recorder, tracee, &answer, err))
        return false;
    *is_halted = answer.place == WATCH_BEFORE;
    if (*is_halted) {
        const bool is_done = halt_before(recorder, tracee, err);
        drop_call(tracee);
        return is_done;
    }
    if (answer.place == WATCH_INSIDE)
        recorder->inside_tid = tracee->tid;
    return answer.place != WATCH_INSIDE || halt_shorten(tracee, answer.bytes, err);
}

/* Lets the thread do its call, up to the exit stop. */
static void let_in(struct recorder *recorder, struct tracee *tracee, bool is_serial)
{
    if (is_serial) {
        recorder->serial_tid = tracee->tid;
        recorder->serial_since = 0;
    }
    tracee->is_in_call = true;
    visit_resume(tracee, 0);
}

/* It will be begun anew, for what it is about may be another thing by then. */
static void forget_call(struct tracee *tracee)
{
    const struct call kept = tracee->call;
    drop_call(tracee);
    tracee->call.handler = kept.handler;
    tracee->call.nr = kept.nr;
    tracee->call.sp = kept.sp;
    tracee->call.order = kept.order;
    memcpy(tracee->call.args, kept.args, sizeof kept.args);
}

/* Asks the handler. The stores of the worker so far come first, whatever the call is. */
static bool begin(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct call *call = &tracee->call;
    call->enter = recorder->writer->trace->count;
    if (!emit_stores(recorder, tracee, err))
        return false;
    call->enter = recorder->writer->trace->count;
    call->op.kind = OP_KIND_COUNT; /* until the handler knows better */
    const enum call_next next = call->handler->enter(recorder, tracee, err);
    bool must_wait = next == CALL_WAITING;
    if (next == CALL_FAILED)
        return err_while(err, "record a call of process %d", (int)tracee->process->pid);
    if ((next == CALL_FOLLOWED || next == CALL_SERIAL) &&
        !turns_look(recorder, tracee, &must_wait, err))
        return false;
    if (must_wait) {
        forget_call(tracee);
        tracee->state = TRACEE_WAITING;
        return turns_go_on(recorder, err); /* perhaps it was the last that had to come */
    }
    call->is_ignored = next == CALL_IGNORED;
    if (call->is_ignored && call->handler->is_serial && !recorder_is_alone(recorder)) {
        let_in(recorder, tracee, true);
        return true;
    }
    if (next == CALL_FREE || next == CALL_IGNORED || next == CALL_DONE) {
        drop_call(tracee);
        visit_resume(tracee, 0);
        return true;
    }
    emit_stack(recorder, tracee);
    call->op.stack = call->stack;
    bool is_halted = false;
    if (!look_at_entry(recorder, tracee, &is_halted, err))
        return false;
    if (is_halted)
        return true;
    let_in(recorder, tracee, next == CALL_SERIAL);
    return true;
}

bool visit_entry(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct ptrace_syscall_info info;
    if (!recorder->has_execed || recorder->is_killing ||
        ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, sizeof info, &info) <= 0) {
        visit_resume(tracee, 0);
        return true;
    }
    if (info.seccomp.ret_data == FILTER_FOREIGN)
        return foreign(&info, err);
    struct call *call = &tracee->call;
    call->handler = call_find((long)info.seccomp.nr);
    if (call->handler == NULL) {
        visit_resume(tracee, 0);
        return true;
    }
    call->nr = (long)info.seccomp.nr;
    call->sp = info.stack_pointer;
    memcpy(call->args, info.seccomp.args, sizeof call->args);
    call->order = ++recorder->arrivals;
    if (recorder->inside_tid != 0 || (call->handler->is_serial && recorder->serial_tid != 0)) {
        tracee->state = TRACEE_HELD;
        recorder->held++;
        return true;
    }
    return begin(recorder, tracee, err);
}

bool visit_begin(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    tracee->state = TRACEE_RUNNING;
    if (recorder->inside_tid == 0)
        return begin(recorder, tracee, err);
    tracee->state = TRACEE_HELD;
    recorder->held++;
    return true;
}

/* Those that waited may begin, until one of them is serial again. */
static bool begin_held(struct recorder *recorder, struct err *err)
{
    while (recorder->serial_tid == 0 && recorder->inside_tid == 0 && !recorder->is_killing) {
        struct tracee *next = tracees_held(&recorder->tracees);
        if (next == NULL)
            return true;
        next->state = TRACEE_RUNNING;
        recorder->held--;
        if (!begin(recorder, next, err))
            return false;
    }
    return true;
}

bool visit_look_at_held(struct recorder *recorder, struct err *err)
{
    if (recorder->held == 0 || recorder->serial_tid == 0)
        return true;
    if (recorder->serial_since == 0)
        recorder->serial_since = clock_now();
    if (clock_now() - recorder->serial_since < SERIAL_LIMIT_NS)
        return true;
    trace_writer_note(recorder->writer,
                      "a call that changes files did not return for ten seconds; others were let "
                      "go on, so their order in the trace is not certain");
    recorder->serial_tid = 0;
    return begin_held(recorder, err);
}

bool visit_release(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    if (tracee->state == TRACEE_HELD)
        recorder->held--;
    tracee->state = TRACEE_RUNNING;
    tracee->is_in_call = false;
    drop_call(tracee);
    if (recorder->serial_tid == tracee->tid)
        recorder->serial_tid = 0;
    if (recorder->inside_tid == tracee->tid)
        recorder->inside_tid = 0;
    return recorder->held == 0 || begin_held(recorder, err);
}

static bool is_restarted(long result)
{
    return result <= -RESTART_FIRST && result >= -RESTART_LAST;
}

/* The shortened call has returned: the worker ends here, unless nothing was done after all. */
static bool leave_inside(struct recorder *recorder, struct tracee *tracee, long result,
                         struct err *err)
{
    recorder->inside_tid = 0;
    if (result > 0) {
        recorder->halted.done = (uint64_t)result;
        return halt_after(recorder, tracee, err);
    }
    if (!is_restarted(result))
        return true; /* it failed, as it would have with all its bytes */
    return err_harness(err, "a signal came while the worker was being halted inside a call; run it "
                            "again");
}

static bool look_at_exit(struct recorder *recorder, struct tracee *tracee, long result,
                         struct err *err)
{
    bool is_reached = false;
    if (recorder->inside_tid == tracee->tid)
        return leave_inside(recorder, tracee, result, err);
    if (recorder->watch == NULL)
        return true;
    return recorder->watch->exit(recorder->watch, recorder, &is_reached, err) &&
           (!is_reached || halt_after(recorder, tracee, err));
}

/* The call has returned. A call that the kernel will restart has done nothing yet and will be seen
 * again. When the worker has been halted meanwhile, what the call did is in the workspace all the
 * same, so it is still written down; calls that are not serial change nothing there. */
static bool leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    const bool is_inside = recorder->inside_tid == tracee->tid;
    if (tracee->call.is_ignored || (is_restarted(result) && !is_inside))
        return true;
    if (recorder->has_halted) {
        return recorder->serial_tid != tracee->tid ||
               tracee->call.handler->leave(recorder, tracee, result, err) ||
               err_while(err, "record a call of process %d", (int)tracee->process->pid);
    }
    if (!is_restarted(result) && !tracee->call.handler->leave(recorder, tracee, result, err))
        return err_while(err, "record a call of process %d", (int)tracee->process->pid);
    return look_at_exit(recorder, tracee, result, err);
}

bool visit_exit(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct ptrace_syscall_info info;
    if (!tracee->is_in_call) { /* a stop that was under way before we let it go on */
        visit_resume(tracee, 0);
        return true;
    }
    if (ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, sizeof info, &info) <= 0)
        return true; /* killed: its last stop or its end comes next */
    if (info.op != PTRACE_SYSCALL_INFO_EXIT) {
        visit_resume(tracee, 0);
        return true;
    }
    tracee->is_in_call = false;
    if (!leave(recorder, tracee, (long)info.exit.rval, err) ||
        !visit_release(recorder, tracee, err) || !turns_go_on(recorder, err))
        return false;
    if (!recorder->has_halted) /* one that is halted stands at another stop by now, or is dead */
        visit_resume(tracee, 0);
    return true;
}

/* A thread that is killed inside a call does not always stop at its exit; what the call returned is
 * in its registers. -ENOSYS is what stands there when the call was not even begun. */
static bool leave_killed(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct user_regs_struct regs;
    if (!tracee->is_in_call || ptrace(PTRACE_GETREGS, tracee->tid, 0, &regs) == -1 ||
        (long)regs.rax == -ENOSYS || (long)regs.orig_rax != tracee->call.nr)
        return true;
    return leave(recorder, tracee, (long)regs.rax, err);
}

/* Stores up to the end. After a halt, too: threads ran on until the kill reached them. What the
 * kill does to robust mutexes is then no op of the worker, but part of its states. */
static bool collect_last(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    tracee->call.enter = recorder->writer->trace->count;
    return emit_stores(recorder, tracee, err) &&
           (recorder->has_halted || robust_ending(recorder, tracee, err));
}

bool visit_ending(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct process *process = tracee->process;
    tracee->is_ending = true;
    process->running--;
    if (!leave_killed(recorder, tracee, err) || !visit_release(recorder, tracee, err))
        return false;
    if (process->has_mappings && !collect_last(recorder, tracee, err))
        return false;
    if (process->running == 0)
        mapped_remove_process(recorder->mapped, process->pid);
    visit_resume(tracee, 0);
    return true;
}
