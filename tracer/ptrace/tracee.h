/* tracee.h - the threads and processes of the worker. */
#ifndef PTRACE_TRACEE_H
#define PTRACE_TRACEE_H

#include "call.h"
#include "tracer/base/map.h"

struct process {
    pid_t pid;
    uint32_t threads; /* alive, by wait status */
    uint32_t running; /* not yet at their end stop */
    unsigned filters; /* enum filter_set bits that its threads run under */
    bool has_mappings;
    uint32_t party; /* see turns.h */
};

enum tracee_state {
    TRACEE_RUNNING,
    TRACEE_UNBORN,   /* stopped at its first instruction; its maker has not told of it yet */
    TRACEE_EXPECTED, /* told of, but not seen yet */
    TRACEE_HELD,     /* at the entry of a call, until another thread's call is done */
    TRACEE_WAITING,  /* at the entry of a call, until its turn has come */
};

struct tracee {
    pid_t tid;
    uint32_t own_tid; /* as it sees itself, in its own pid namespace; 0: not asked yet */
    struct process *process;
    uint32_t number; /* in the trace's table of threads */
    enum tracee_state state;
    bool is_in_call; /* let into a call whose exit is awaited */
    bool is_ending;  /* its end stop has been seen */
    struct call call;
};

struct tracees {
    struct map by_tid; /* to struct tracee * */
    struct map processes;
};

void tracees_fini(struct tracees *tracees);

struct tracee *tracees_find(const struct tracees *tracees, pid_t tid);

/* The next one of all; start with *at = 0. NULL at the end. They must not change meanwhile. */
struct tracee *tracees_next(const struct tracees *tracees, size_t *at);

/* A new thread; the process is made when it is not there. */
struct tracee *tracees_add(struct tracees *tracees, pid_t tid, pid_t pid);
void tracees_remove(struct tracees *tracees, struct tracee *tracee);

/* A thread has execed: it takes over its process's number, and all others of the process are gone.
 */
void tracees_exec(struct tracees *tracees, struct tracee *tracee);

static inline size_t tracees_count(const struct tracees *tracees)
{
    return tracees->by_tid.count;
}
struct process *tracees_process(const struct tracees *tracees, pid_t pid);

/* The next thread that is held, or NULL. Of several the one that came first. */
struct tracee *tracees_held(const struct tracees *tracees);

/* Kills every process and every thread known. */
void tracees_kill(const struct tracees *tracees);

/* All but one. */
void tracees_kill_others(const struct tracees *tracees, const struct process *spared);

#endif
