/* recorder.h - what the parts of one recording share. */
#ifndef PTRACE_RECORDER_H
#define PTRACE_RECORDER_H

#include "files.h"
#include "mapped.h"
#include "record.h"
#include "sockets.h"
#include "tracee.h"
#include "unwind.h"

struct locks;
struct robust;
struct turns;
struct watch;

struct recorder {
    const struct record_options *options;
    struct trace_writer *writer;
    struct nodes nodes;
    struct tracees tracees;
    struct files *files;
    struct sockets *sockets;
    struct mapped *mapped;
    struct robust *robust;
    struct unwinder *unwinder; /* NULL: no backtraces wanted */
    struct watch *watch;       /* NULL: the worker runs to its end */
    struct record_halted halted;
    struct locks *locks; /* NULL: not looked at */
    struct turns *turns; /* NULL: locks are got as they come */
    pid_t main_pid;
    pid_t serial_tid;     /* the thread in a serial call, or 0 */
    int64_t serial_since; /* when it was first found to hold up others; 0: not yet */
    pid_t inside_tid;     /* the thread in the shortened call that is its last, or 0 */
    uint32_t processes;   /* seen so far */
    uint64_t arrivals;
    uint32_t held;   /* threads that wait at the entry of a call */
    bool has_execed; /* the worker's program runs */
    bool is_killing; /* no more calls are of interest, only ends */
    bool has_halted;
    bool has_main_ended;
    unsigned outside_notes;
};

/* Whether exactly one thread lives in the whole worker. */
static inline bool recorder_is_alone(const struct recorder *recorder)
{
    return tracees_count(&recorder->tracees) == 1;
}

#endif
