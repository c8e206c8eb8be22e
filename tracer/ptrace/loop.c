#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "births.h"
#include "program.h"
#include "stop.h"
#include "tracer/base/clock.h"
#include "tracer/base/log.h"
#include "tracer/base/own.h"
#include "turns.h"
#include "visit.h"

enum {
    TICK_US = 50000,    /* how often waiting is interrupted to look at the clock */
    LOOK_EVERY = 256,   /* stops; when there is no waiting */
    LEFT_GRACE_MS = 100 /* after the main process; for those that are just ending as well */
};

struct loop {
    struct recorder *recorder;
    int64_t deadline;      /* 0: none */
    int64_t left_deadline; /* set when the main process has ended */
    enum record_end end;
    bool has_failed; /* *err is set; only the ends of processes are waited for */
    struct err *err;
};

/* Only there to interrupt a wait. */
static void tick(int signo)
{
    (void)signo;
}

struct ticker {
    struct sigaction action;
    struct itimerval timer;
};

static void ticker_start(struct ticker *before)
{
    const struct sigaction action = {.sa_handler = tick}; /* no SA_RESTART */
    const struct itimerval timer = {.it_interval = {.tv_usec = TICK_US},
                                    .it_value = {.tv_usec = TICK_US}};
    sigaction(SIGALRM, &action, &before->action);
    setitimer(ITIMER_REAL, &timer, &before->timer);
}

static void ticker_stop(const struct ticker *before)
{
    setitimer(ITIMER_REAL, &before->timer, NULL);
    sigaction(SIGALRM, &before->action, NULL);
}

static void end_all(struct loop *loop, enum record_end end)
{
    if (loop->recorder->is_killing)
        return;
    loop->end = end;
    visit_kill_all(loop->recorder);
}

/* Processes that outlive the main one are named and killed. */
static void kill_left(struct recorder *recorder)
{
    struct trace_about *about = &recorder->writer->trace->about;
    size_t at = 0;
    uint64_t pid, value;
    while (map_next(&recorder->tracees.processes, &at, &pid, &value)) {
        char *name OWN(own_mem) = program_name((pid_t)pid);
        trace_writer_note(recorder->writer,
                          "a process was still alive after the worker's main process had ended, "
                          "and was killed: %s",
                          name);
        about->left_processes++;
    }
    visit_kill_all(recorder);
}

static void fail(struct loop *loop)
{
    loop->has_failed = true;
    visit_kill_all(loop->recorder);
}

static void look_around(struct loop *loop)
{
    struct recorder *recorder = loop->recorder;
    const struct record_options *options = recorder->options;
    if (recorder->is_killing) {
        tracees_kill(&recorder->tracees); /* one that was born meanwhile, too */
        return;
    }
    if (!visit_look_at_held(recorder, loop->err)) {
        fail(loop);
        return;
    }
    if (options->interrupted != NULL && *options->interrupted != 0) {
        end_all(loop, RECORD_INTERRUPTED);
    } else if (loop->deadline != 0 && clock_now() >= loop->deadline) {
        end_all(loop, RECORD_TIMED_OUT);
    } else if (recorder->has_main_ended && loop->left_deadline == 0) {
        loop->left_deadline = clock_now() + LEFT_GRACE_MS * (int64_t)CLOCK_MS;
    } else if (recorder->has_main_ended && clock_now() >= loop->left_deadline) {
        kill_left(recorder);
    }
}

static bool at_event(struct recorder *recorder, struct tracee *tracee, int event, struct err *err)
{
    if (event == PTRACE_EVENT_SECCOMP)
        return visit_entry(recorder, tracee, err);
    if (event == PTRACE_EVENT_EXEC)
        return births_exec(recorder, tracee->tid, err);
    if (event == PTRACE_EVENT_EXIT)
        return visit_ending(recorder, tracee, err);
    if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK)
        return births_told(recorder, tracee, event, err);
    if (tracee->state == TRACEE_EXPECTED)
        tracee->state = TRACEE_RUNNING;
    visit_resume(tracee, 0);
    return true;
}

static bool at_stop(struct recorder *recorder, struct tracee *tracee, struct stop stop,
                    struct err *err)
{
    switch (stop.kind) {
    case STOP_EXITED:
    case STOP_KILLED:
        return true; /* handled before */
    case STOP_SYSCALL:
        return visit_exit(recorder, tracee, err);
    case STOP_EVENT:
        return at_event(recorder, tracee, stop.detail, err);
    case STOP_GROUP:
        ptrace(PTRACE_LISTEN, tracee->tid, 0, 0);
        return true;
    case STOP_SIGNAL:
        visit_resume(tracee, stop.detail);
        return true;
    }
    return true;
}

static bool handle(struct recorder *recorder, pid_t tid, int status, struct err *err)
{
    const struct stop stop = stop_of(status);
    const bool is_end = stop.kind == STOP_EXITED || stop.kind == STOP_KILLED;
    struct tracee *tracee = tracees_find(&recorder->tracees, tid);
    recorder->writer->trace->about.stops += is_end ? 0 : 1;
    LOG(DEBUG, "tid %d: %s %d", (int)tid, stop_name(stop.kind), stop.detail);
    if (is_end) {
        if (tracee == NULL)
            return true; /* a child of the caller that is none of the worker's */
        const bool is_released = visit_release(recorder, tracee, err);
        births_ended(recorder, tracee, status);
        return is_released && turns_go_on(recorder, err);
    }
    /* A leader whose thread has execed in its name comes back under its number. */
    if (tracee == NULL && stop.kind == STOP_EVENT && stop.detail == PTRACE_EVENT_EXEC)
        return births_exec(recorder, tid, err);
    if (tracee == NULL) {
        births_seen(recorder, tid);
        return true;
    }
    return at_stop(recorder, tracee, stop, err);
}

/* After a failure everything is let go on to its end. */
static void let_end(struct recorder *recorder, pid_t tid, int status)
{
    const struct stop stop = stop_of(status);
    struct tracee *tracee = tracees_find(&recorder->tracees, tid);
    if (stop.kind != STOP_EXITED && stop.kind != STOP_KILLED) {
        ptrace(PTRACE_CONT, tid, 0, 0);
        if (tracee == NULL)
            kill(tid, SIGKILL);
    } else if (tracee != NULL) {
        tracees_remove(&recorder->tracees, tracee);
    }
}

static void step(struct loop *loop, pid_t tid, int status)
{
    if (loop->has_failed) {
        let_end(loop->recorder, tid, status);
        return;
    }
    if (handle(loop->recorder, tid, status, loop->err))
        return;
    fail(loop);
    ptrace(PTRACE_CONT, tid, 0, 0);
}

bool loop_run(struct recorder *recorder, enum record_end *end, struct err *err)
{
    const int64_t timeout = recorder->options->timeout_ns;
    struct loop loop = {.recorder = recorder,
                        .deadline = timeout > 0 ? clock_now() + timeout : 0,
                        .end = RECORD_ENDED,
                        .err = err};
    struct ticker before;
    ticker_start(&before);
    for (unsigned stops = 0; tracees_count(&recorder->tracees) > 0; stops++) {
        int status;
        const pid_t tid = waitpid(-1, &status, __WALL);
        if (tid > 0) {
            step(&loop, tid, status);
        } else if (errno != EINTR) {
            break;
        }
        if (tid < 0 || stops % LOOK_EVERY == 0 || recorder->has_main_ended)
            look_around(&loop);
    }
    ticker_stop(&before);
    if (recorder->has_halted)
        loop.end = RECORD_HALTED;
    *end = loop.end;
    return !loop.has_failed;
}
