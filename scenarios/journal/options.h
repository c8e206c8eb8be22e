/* options.h - the command line of the journal, read and checked. */
#ifndef JOURNAL_OPTIONS_H
#define JOURNAL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"
#include "utf.h"

enum command { COMMAND_HELP, COMMAND_PUT, COMMAND_LIST, COMMAND_RECOVER };

enum { OPTIONS_KEY_MAX = 64, OPTIONS_BODY_MAX = 4096 };

/* The texts are borrowed from argv. */
struct options {
    enum command command;
    const char *file;
    int64_t lock_timeout_ms;
    struct utf_text key; /* these two for COMMAND_PUT */
    struct utf_text body;
};

extern const char options_help[];

/* False: the command line is wrong; the exit code is that of a usage error. */
bool options_read(struct options *options, int argc, char *const argv[], struct fail *fail);

#endif
