/* exploration.h - one exploration from its options to its run: what brink explore does, step by
 * step, each step a function that may fail.
 *
 * The order of the steps is the order of trust: a trace is self-checked before it is stored,
 * verified by real kills before it is explored, and nothing is reported that was not stored. */
#ifndef CLI_EXPLORATION_H
#define CLI_EXPLORATION_H

#include "loaded.h"
#include "out.h"
#include "progress.h"
#include "recording.h"
#include "second.h"
#include "standin.h"
#include "tracer/runner/command.h"
#include "tracer/runner/job.h"

struct exploration {
    const struct settings *settings;
    int64_t begun_ns;
    struct janitor *janitor;
    struct out out;
    const char *out_name; /* as the user gave it */
    struct store *store;
    struct recording recording;
    struct standin standin; /* of a resumed run */
    struct trace trace;
    struct run run;
    struct command recover, check; /* text NULL: none */
    struct progress progress;
    struct second second; /* with --depth 2 */
    bool is_resumed;      /* trace, and verdicts so far, come from the store */
};

/* Everything: on true the run is complete or honestly partial, stored and reported. */
MUST_USE bool exploration_run(struct exploration *exploration, struct err *err);

/* The commands that a run with these settings uses, resolved against the current directory. With
 * neither recovery nor check the worker itself is the recovery. */
MUST_USE bool exploration_commands(const struct settings *settings, struct command *recover,
                                   struct command *check, struct err *err);

/* {0} except for settings before exploration_run; to be fini'd whatever happens. */
void exploration_init(struct exploration *exploration, const struct settings *settings);
void exploration_fini(struct exploration *exploration);

#endif
