/* record.h - run a worker under ptrace and write down what it does.
 *
 * The worker starts in a mount namespace of its own in which the private copy of the workspace
 * stands at the workspace's path. A seccomp filter stops only the calls that matter. Calls that
 * change files are let through one at a time over all threads (each is held at its entry until the
 * one before has left the kernel), so that the order of ops is the order of effects; calls that may
 * wait for somebody (syncs, sockets, pipes, locks) overlap freely.
 *
 * record() runs until every process of the worker has ended, or the halting point is reached. It
 * leaves no process behind, and the copy as the worker left it. Signals, stops and terminals work
 * for the worker as without brink. It waits for any child of the caller: no other children may end
 * meanwhile that somebody else wants to reap. */
#ifndef PTRACE_RECORD_H
#define PTRACE_RECORD_H

#include <signal.h>
#include <sys/types.h>

#include "tracer/trace/barrier.h"
#include "tracer/trace/trace_writer.h"

/* Kernel features to do without, also set by the environment: BRINK_WITHOUT=uffd,mgtime or all. */
enum without {
    WITHOUT_UFFD = 1 << 0,    /* userfaultfd in WP_ASYNC mode, PAGEMAP_SCAN */
    WITHOUT_MGTIME = 1 << 1,  /* times that change with every write */
    WITHOUT_SETINFO = 1 << 2, /* PTRACE_SET_SYSCALL_INFO */
    WITHOUT_TMPFS = 1 << 3,   /* O_DIRECT and user xattrs on tmpfs */
    WITHOUT_ALL = (1 << 4) - 1,
};
/* Parses a list such as "uffd,mgtime"; an unknown word is ERR_USAGE. */
MUST_USE bool without_parse(const char *list, unsigned *out, struct err *err);

/* Where to halt the worker. Op numbers are those of the trace that is being recorded, initial ops
 * included: `op` names the first one that is not whole. */
enum halt_where {
    HALT_BEFORE, /* ops [0, op) are done; at the entry of the next call that would change things */
    HALT_INSIDE, /* op is a write: `bytes` of it are done, by a shortened length */
    HALT_AFTER,  /* at the exit of the call that made op, all its parts (OP_MORE) done */
};
struct record_halt {
    uint32_t op;
    enum halt_where where;
    uint64_t bytes;
};

/* What was halted, of a barrier that was reached. */
struct record_halted {
    struct op op;     /* as it was, or as it would have been; numbers are those of the trace, and
                         its payload is there in full even when only a part of it was done */
    uint64_t done;    /* bytes of it that were done */
    uint64_t reached; /* how often the barrier was reached, this time included; more than nth when
                         one call reached it several times */
    uint32_t thread;  /* in the trace's table */
    pid_t pid, tid;
    bool has_synced;
    int status;         /* wait status of its process */
    uint32_t processes; /* that were alive then, it included; all are dead, by their wait status */
};

/* In which order processes get their locks. Those count that the worker's first process starts, in
 * order of start, from 0; what they start themselves belongs to them. Calls that take a lock on a
 * file of the workspace (fcntl, lockf, flock) wait until all `count` have come to one or ended;
 * then one after the other goes on, when the one before has given all its locks back. */
struct record_locks {
    const uint32_t *order; /* each of 0 to count - 1 once */
    uint32_t count;
    /* A call at which they wait as well, before they have come to a lock: what it is, its path and
     * its peer count, the rest does not. NULL: locks only. */
    const struct barrier *also;
};

struct record_options {
    const char *const *argv; /* argv[0] is searched in PATH unless it has a slash */
    const char *workspace;   /* absolute path that the worker sees; its cwd at the start */
    int copy_fd;             /* the private copy; -1: the workspace itself, nothing is mounted */
    const char *const *environment; /* K=V additions to the caller's; NULL-terminated, or NULL */
    const char *const *exclude;     /* as snapshot.h */
    int stdin_fd;                   /* what the worker gets as fd 0; -1: the caller's own */
    bool is_tty;      /* give the worker a new pseudo terminal as fds 0 to 2, copied to ours */
    bool want_output; /* false: the worker's fds 1 and 2 go to /dev/null (second runs) */
    bool want_pin;    /* tracer and worker on one CPU; the caller's affinity is put back */
    bool want_backtrace;
    bool want_exits;    /* also stop at the exit of plain writes (see design: entry alone) */
    unsigned without;   /* enum without */
    int64_t timeout_ns; /* 0: none */
    const struct record_halt *halt;           /* NULL: none */
    const struct barrier *barrier;            /* another way to say where; NULL: none */
    struct record_halted *halted;             /* filled when the barrier was reached, or NULL */
    const struct record_locks *locks;         /* NULL: as they come; not recorded then */
    const volatile sig_atomic_t *interrupted; /* becomes non-zero: end everything; may be NULL */
};

enum record_end {
    RECORD_ENDED,       /* all processes have ended */
    RECORD_HALTED,      /* at the halting point; all were killed there, death verified */
    RECORD_MISSED,      /* ended, and the halting point was never reached */
    RECORD_TIMED_OUT,   /* all were killed */
    RECORD_INTERRUPTED, /* all were killed */
};

/* The initial ops must be in the writer already; `items` (snapshot.h) maps them to inodes. The
 * writer's trace gets ops, threads, stacks, notes, about.wait_status and the other counts; argv and
 * workspace are the caller's to set. false: the worker could not be started (ERR_USAGE with the
 * program's name) or the kernel refused something that recording needs. */
struct snapshot_items;
MUST_USE bool record(const struct record_options *options, const struct snapshot_items *items,
                     struct trace_writer *writer, enum record_end *end, struct err *err);

#endif
