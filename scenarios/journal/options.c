#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TIMEOUT_MS = 30000, MS_PER_SECOND = 1000, TIMEOUT_MAX_SECONDS = 1000000 };

const char options_help[] =
    "journal - counts each operation once, whatever dies in between\n"
    "\n"
    "usage: journal --file F [--format 1] [--lock-timeout S] COMMAND\n"
    "\n"
    "  put KEY BODY   do the operation KEY: prints RESULT n, or REPLAY n when it was done before\n"
    "  list           print one line of JSON for each record; leaves the file alone\n"
    "  recover        cut off a torn end, and say so; refuse a damaged record\n"
    "\n"
    "  --file F           the journal; put makes it, list and recover take an absent one as empty\n"
    "  --format N         the format of a new journal: 1, the only one so far\n"
    "  --lock-timeout S   how long to wait for the others, in seconds (30); 0 does not wait\n"
    "\n"
    "KEY: 1 to 64 of A-Z a-z 0-9 _ -   BODY: at most 4096 bytes of UTF-8\n"
    "\n"
    "exit status: 0 done, 1 the system refused, 2 usage, 3 the key is known with another body,\n"
    "             4 a damaged record was refused, 75 the lock was not to be had in time\n";

static bool usage(struct fail *fail, const char *what)
{
    return fail_with(fail, EXIT_CODE_USAGE, "%s (journal --help says more)", what);
}

static bool read_timeout(const char *text, int64_t *timeout_ms, struct fail *fail)
{
    char *end = NULL;
    errno = 0;
    const double seconds = strtod(text, &end);
    /* The digits keep out what strtod takes besides: signs, blanks, "inf", hexadecimal. */
    if (text[0] == '\0' || text[strspn(text, "0123456789.")] != '\0' || *end != '\0' ||
        errno != 0 || seconds > TIMEOUT_MAX_SECONDS)
        return usage(fail, "--lock-timeout wants seconds, 0 to 1000000");
    *timeout_ms = (int64_t)(seconds * MS_PER_SECOND);
    return true;
}

static bool read_option(struct options *options, int option, struct fail *fail)
{
    switch (option) {
    case 'h':
        options->command = COMMAND_HELP;
        return true;
    case 'f':
        options->file = optarg;
        return optarg[0] != '\0' || usage(fail, "--file wants a name");
    case 'n':
        return strcmp(optarg, "1") == 0 || usage(fail, "--format can only be 1");
    case 't':
        return read_timeout(optarg, &options->lock_timeout_ms, fail);
    default:
        return usage(fail, "unknown option, or one without its value");
    }
}

static bool read_request(struct options *options, char *const words[], struct fail *fail)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    options->key = (struct utf_text){words[0], strlen(words[0])};
    options->body = (struct utf_text){words[1], strlen(words[1])};
    if (options->key.size == 0 || options->key.size > OPTIONS_KEY_MAX ||
        strspn(words[0], letters) != options->key.size)
        return usage(fail, "KEY must be 1 to 64 of A-Z a-z 0-9 _ -");
    if (options->body.size > OPTIONS_BODY_MAX)
        return usage(fail, "BODY must be at most 4096 bytes");
    return utf_is_valid(options->body) || usage(fail, "BODY must be valid UTF-8");
}

static bool read_command(struct options *options, int count, char *const words[], struct fail *fail)
{
    if (count == 0)
        return usage(fail, "a command is missing: put, list or recover");
    if (strcmp(words[0], "put") == 0) {
        options->command = COMMAND_PUT;
        return count == 3 ? read_request(options, words + 1, fail)
                          : usage(fail, "put wants KEY and BODY");
    }
    if (strcmp(words[0], "list") == 0) {
        options->command = COMMAND_LIST;
    } else if (strcmp(words[0], "recover") == 0) {
        options->command = COMMAND_RECOVER;
    } else {
        return usage(fail, "unknown command: it must be put, list or recover");
    }
    return count == 1 || usage(fail, "list and recover take no arguments");
}

bool options_read(struct options *options, int argc, char *const argv[], struct fail *fail)
{
    static const struct option table[] = {{"file", required_argument, NULL, 'f'},
                                          {"format", required_argument, NULL, 'n'},
                                          {"lock-timeout", required_argument, NULL, 't'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    *options = (struct options){.lock_timeout_ms = DEFAULT_TIMEOUT_MS, .command = COMMAND_LIST};
    optind = 0; /* start afresh, also in a second call */
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "+h", table, NULL)) != -1;) {
        if (!read_option(options, option, fail))
            return false;
        if (options->command == COMMAND_HELP)
            return true;
    }
    if (!read_command(options, argc - optind, argv + optind, fail))
        return false;
    return options->file || usage(fail, "--file is missing");
}
