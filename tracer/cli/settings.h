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
    /* Recording. */
    int64_t timeout_ns;
    bool no_pin;
    bool is_tty;
    bool no_backtrace;
    /* Exploring. */
    bool model_wanted[MODEL_COUNT];
    const char *recover;
    const char *check;
    bool want_host_net;
    uint64_t jobs; /* 0: as many as there are processors for us */
    uint64_t budget;
    int64_t max_time_ns; /* 0: no limit */
    uint64_t verify;
    uint64_t seed; /* meaningful when has_seed; otherwise a new one is drawn */
    bool has_seed;
    uint32_t shard, shards; /* 0 of 1: all */
    const char *slot_dir;
    /* Output. */
    const char *out; /* NULL: the verb's default */
    bool is_forced;
    bool want_resume;
    bool is_quiet;
    /* Replay. */
    const char *run;
    bool want_shell;
    const char *keep;
    /* The worker and its arguments, or the words of a verb without a worker; NULL-terminated. */
    const char *const *rest;
    size_t rest_count;
    struct words rest_words; /* storage of rest where it is no plain tail of the command line */
};

/* The default of every option. */
void settings_init(struct settings *settings);
void settings_fini(struct settings *settings);

void words_add(struct words *words, const char *text);

#endif
