/* options.h - one table of all options, and one parser for all verbs.
 *
 * Long options take their value after `=` or as the next word; the few short ones as the next word
 * or right behind. Options and words may mix up to `--`; what follows it is the worker, untouched.
 * Every error names the option and, where one comes near, what was probably meant. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "verbs.h"

enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_TEXT,    /* const char *; must not be empty */
    OPTION_WORDS,   /* struct words; may be given again */
    OPTION_NUMBER,  /* uint64_t from min to max */
    OPTION_SECONDS, /* int64_t, in ns */
    OPTION_OTHER,   /* parse says */
    OPTION_LATER,   /* of a later version: refused by name */
};

enum option_group { GROUP_WORKSPACE, GROUP_RECORDING, GROUP_EXPLORING, GROUP_OUTPUT, GROUP_COUNT };

struct option {
    const char *name; /* without the dashes */
    char letter;      /* of the short form; 0: none */
    unsigned verbs;   /* which take it */
    enum option_kind kind;
    enum option_group group;
    size_t at;         /* offset in struct settings */
    const char *value; /* what the value is called in help */
    const char *help;  /* one line; more lines are separated by newlines */
    uint64_t min, max;
    bool (*parse)(struct settings *settings, const char *value, struct err *err);
    unsigned later; /* verbs that take it in a version to come */
};

const struct option *option_table(size_t *count);

/* Fills settings, which settings_init has prepared, from the words after the verb. When the user
 * asks for the verb's help page (want_help) the rest is not looked at. */
MUST_USE bool options_parse(const struct verb *verb, int argc, const char *const argv[],
                            struct settings *settings, struct err *err);

#endif
