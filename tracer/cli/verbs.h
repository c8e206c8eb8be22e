/* verbs.h - what brink can do: each verb is one file with one function, listed here.
 *
 * To add a verb: write verb_name.c with its run function, add a bit and a row to the table, and
 * name the bit in the rows of the options that it takes. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "settings.h"
#include "tracer/base/err.h"

enum {
    VERB_EXPLORE = 1 << 0,
    VERB_TRACE = 1 << 1,
    VERB_REPLAY = 1 << 2,
    VERB_DOCTOR = 1 << 3,
    VERB_MERGE = 1 << 4,
    VERB_KILL = 1 << 5,
    VERB_RUN = 1 << 6,
    VERB_EVIDENCE = 1 << 7,
    VERB_RECORDING = VERB_EXPLORE | VERB_TRACE,
    VERB_STARTING = VERB_RECORDING | VERB_KILL, /* all that start a worker from the command line */
};

/* What brink's exit status says. */
enum { EXIT_HELD = 0, EXIT_FOUND = 1, EXIT_USAGE = 2, EXIT_HARNESS = 3 };

struct verb {
    const char *name;
    const char *usage; /* what follows "brink NAME " */
    const char *summary;
    const char *about; /* a paragraph for its help page */
    const char *examples;
    size_t words_min, words_max; /* how many words it takes, when it takes no worker */

    /* *status: brink's exit status, when all went well. */
    bool (*run)(const struct settings *settings, int *status, struct err *err);
    unsigned bit;      /* 0: of a later version, refused by name */
    bool takes_worker; /* words after `--` are a command line */
};

/* In the order of the help page. */
const struct verb *verb_table(size_t *count);

/* NULL when there is no such verb. */
const struct verb *verb_find(const char *name);

/* The verb that was most likely meant, or NULL. */
const char *verb_nearest(const char *name);

MUST_USE bool verb_explore(const struct settings *settings, int *status, struct err *err);
MUST_USE bool verb_trace(const struct settings *settings, int *status, struct err *err);
MUST_USE bool verb_kill(const struct settings *settings, int *status, struct err *err);
MUST_USE bool verb_replay(const struct settings *settings, int *status, struct err *err);
MUST_USE bool verb_doctor(const struct settings *settings, int *status, struct err *err);
MUST_USE bool verb_run(const struct settings *settings, int *status, struct err *err);
MUST_USE bool verb_evidence(const struct settings *settings, int *status, struct err *err);
MUST_USE bool verb_merge(const struct settings *settings, int *status, struct err *err);

#endif
