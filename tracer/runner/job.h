/* job.h - what is to be done with each state, and the pool of slots that does it.
 *
 * A slot is a child process in namespaces of its own, pid 1 there, with the workspace's path
 * mounted over by a memory file system (or a folder of --slot-dir). It walks through the trace from
 * state to state, brings its directory to each, runs the recovery, then the check, kills what is
 * left, undoes what they changed, and tells the verdict. Slots are independent: each meets a
 * growing sequence of states. */
#ifndef RUNNER_JOB_H
#define RUNNER_JOB_H

#include <signal.h>

#include "command.h"
#include "janitor.h"
#include "tracer/trace/store.h"

struct job_options {
    const struct trace *trace;
    const char *workspace;
    const struct command *recover;  /* NULL: none */
    const struct command *check;    /* NULL: the built-in oracle: recovery ends with 0, and a second
                                       recovery changes nothing */
    const char *const *environment; /* K=V additions */
    uint32_t repeats;               /* how often the oracle repeats a recovery; 0 means 1 */
    int64_t timeout_ns;             /* for each command */
    uint32_t jobs;                  /* slots at the same time */
    bool want_host_net;
    const char *slot_dir; /* NULL: memory */
    unsigned without;     /* enum without of record.h */
    int64_t deadline;     /* clock_now at which no new state is begun; 0: none */
    struct janitor *janitor;
    const volatile sig_atomic_t *interrupted;
    void (*done)(void *context, const struct verdict *verdict); /* in the caller's process */
    void *context;
};

struct job_states {
    const struct state *items;
    const uint32_t *order;    /* indexes of those to be checked, growing */
    size_t count;             /* of order */
    struct verdict *verdicts; /* to be filled: one for each of items, owned by the caller */
};

/* Checks the states; violated ones run twice. *complete: false when the deadline or an interrupt
 * ended it early. *note: a line for the user, or NULL; the caller frees it, also on failure. A
 * check that cannot be started (126, 127) is ERR_USAGE. No process, mount or folder is left behind
 * on any way out. */
MUST_USE bool job_run(const struct job_options *options, const struct job_states *states,
                      bool *complete, char **note, struct err *err);

/* Records the recovery on each of the states, in a slot of its own, and adds what it did to the
 * trace (recoveries.h), in the order of the states. Each recording is self-checked; one that does
 * not lead to what the recovery left is an ERR_HARNESS. A recovery that does not end in time is
 * left out and counted. */
struct job_recording {
    struct trace *trace; /* the same as options->trace; its payload file is open for writing */
    const char *const *exclude; /* as snapshot.h */
    bool want_pin, want_backtrace;
    uint32_t ops_max;      /* no recording is begun when the recoveries have so many ops */
    uint32_t unended;      /* out: states whose recovery did not end in time */
    uint32_t unbegun;      /* out: states left out because of ops_max */
    uint32_t nodes_before; /* of the trace, before any recovery */
    bool complete;         /* out: as job_run's */
    char *note;            /* out: as job_run's; the caller frees it */
};
MUST_USE bool job_record(const struct job_options *options, const struct job_states *states,
                         struct job_recording *recording, struct err *err);

/* The canary: the state of the complete run with all promises kept and (a) everything gone, (b)
 * each file emptied, (c) the middle byte of each file flipped. Which of these the check notices. */
MUST_USE bool job_canary(const struct job_options *options, enum canary *out, struct err *err);

/* Runs one state in a slot for `brink replay`: as job_run, but writes the state to keep_dir when
 * that is given, and starts an interactive shell in it instead of the commands when want_shell. */
struct replay_options {
    bool want_shell;
    const char *keep_dir;
};
MUST_USE bool job_replay(const struct job_options *options, const struct state *state,
                         const struct replay_options *replay, struct verdict *out, struct err *err);

#endif
