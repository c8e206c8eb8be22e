/* recording.h - record one run of the worker into a store, and make sure that the trace is true.
 *
 * What explore and trace share: the private copy of the workspace, the worker's input, the run
 * itself, and the self-check (applying the whole trace to the initial workspace must give the real
 * final one). A trace that does not pass is never given out. */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "out.h"
#include "settings.h"
#include "tracer/ptrace/record.h"
#include "tracer/runner/command.h"
#include "tracer/runner/input.h"
#include "tracer/runner/janitor.h"
#include "tracer/runner/workspace.h"
#include "tracer/trace/store.h"

struct recording {
    const struct settings *settings;
    struct janitor *janitor; /* borrowed */
    const volatile sig_atomic_t *interrupted;
    struct command worker; /* its program resolved against the caller's directory */
    struct workspace *workspace;
    struct input *input;
    char **exclude; /* the user's patterns, and the output folder when it lies in the workspace */
    unsigned without;
};

/* Prepares copies and input; nothing runs yet but --setup. out may be NULL: none that could lie in
 * the workspace. *recording must be {0}; it is to be fini'd whatever happens. */
MUST_USE bool recording_prepare(struct recording *recording, const struct settings *settings,
                                struct janitor *janitor, const struct out *out, struct err *err);
void recording_fini(struct recording *recording);

/* Runs the worker and writes the checked trace to the store. *trace must be trace_init'ed. A worker
 * that cannot be started or does not end in time is an ERR_USAGE. */
MUST_USE bool recording_make(struct recording *recording, struct store *store, struct trace *trace,
                             struct err *err);

/* The kernel features that BRINK_WITHOUT switches off. */
MUST_USE bool recording_read_without(unsigned *out, struct err *err);

/* How the worker was run, for running it again; copy_fd and stdin_fd are to be set. */
struct record_options recording_options(const struct recording *recording);

#endif
