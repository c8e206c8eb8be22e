/* settings.h - what the user asked for: the values of all options, in one plain struct.
 *
 * Strings are borrowed from the command line, which lives as long as the program. */
#ifndef CLI_SETTINGS_H
#define CLI_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/trace/verdict.h"

/* The values of an option that may be given several times. items is NULL-terminated, or NULL. */
struct words {
    const char **items;
    size_t count, capacity;
};

struct settings {
    /* Workspace. */
    const char *dir;
    const char *init;
    const char *setup;
    struct words exclude;
    struct words env;
    /* Running. */
    int64_t timeout_ns;
    /* States. */
    const char *recover;
    const char *check;
    const char *slot_dir;
    uint64_t jobs; /* 0: as many as there are processors for us */
    uint64_t budget;
    uint64_t depth; /* 1: the worker crashes; 2: its recovery, too */
    uint64_t verify;
    uint64_t seed;          /* meaningful when has_seed; otherwise a new one is drawn */
    int64_t max_time_ns;    /* 0: no limit */
    uint32_t shard, shards; /* 0 of 1: all */
    /* Output. */
    const char *out; /* NULL: the verb's default */
    /* Kill. */
    const char *at;       /* a barrier in words, or the name of one in the scenario */
    const char *scenario; /* a file; NULL: the worker stands on the command line */
    /* Replay. */
    const char *run;
    const char *keep;
    /* Run. */
    const char *only;     /* pattern of names of cases; NULL: all */
    const char *evidence; /* new folder; NULL: none */
    /* The worker and its arguments, or the words of a verb without a worker; NULL-terminated. */
    const char *const *rest;
    size_t rest_count;
    struct words rest_words; /* storage of rest where it is no plain tail of the command line */
    /* Switches. */
    bool model_wanted[MODEL_COUNT];
    bool no_pin;
    bool is_tty;
    bool no_backtrace;
    bool want_host_net;
    bool has_seed;
    bool is_forced;
    bool want_resume;
    bool is_quiet;
    bool want_shell;
    bool want_list;
    bool want_json; /* of the list */
    bool want_help; /* show the help page and do nothing else */
};

/* The default of every option. */
void settings_init(struct settings *settings);
void settings_fini(struct settings *settings);

void words_add(struct words *words, const char *text);

#endif
