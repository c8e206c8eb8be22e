/* The journal's command: opens it, has the work done, prints, and picks the exit code. */
#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <unistd.h>

#include "journal_file.h"
#include "listing.h"
#include "options.h"
#include "put.h"
#include "repair.h"

static bool run_recover(struct journal_file *file, struct fail *fail)
{
    bool is_cut = false;
    if (!journal_file_scan(file, NULL, fail) || !repair_run(file, &is_cut, fail))
        return false;
    const struct scan *scan = &file->scan;
    if (is_cut) {
        printf("CUT from=%" PRIu64 " to=%" PRIu64 " records=%" PRId32 "\n", scan->file_size,
               scan->valid_size, scan->count);
    } else {
        printf("CLEAN size=%" PRIu64 " records=%" PRId32 "\n", scan->valid_size, scan->count);
    }
    return fflush(stdout) == 0 || fail_system(fail, "write what was done");
}

static bool run_list(struct journal_file *file, struct fail *fail)
{
    if (!listing_write(file, stdout, fail))
        return false;
    if (file->scan.state == FRAME_TORN) {
        fprintf(stderr, "journal: %s: torn end at offset %" PRIu64 ", recover would cut it off\n",
                file->path, file->scan.valid_size);
    }
    return true;
}

static bool run_command(const struct options *options, struct journal_file *file, struct fail *fail)
{
    switch (options->command) {
    case COMMAND_PUT: {
        const struct put_request request = {options->key, options->body, STDOUT_FILENO};
        return put_run(file, &request, fail);
    }
    case COMMAND_LIST:
        return run_list(file, fail);
    case COMMAND_RECOVER:
        return run_recover(file, fail);
    case COMMAND_HELP:
        break;
    }
    if (fputs(options_help, stdout) < 0 || fflush(stdout) != 0)
        return fail_system(fail, "write the help");
    return true;
}

static bool run(int argc, char **argv, struct fail *fail)
{
    static const enum journal_access access[] = {
        [COMMAND_HELP] = JOURNAL_READ,
        [COMMAND_PUT] = JOURNAL_APPEND,
        [COMMAND_LIST] = JOURNAL_READ,
        [COMMAND_RECOVER] = JOURNAL_REPAIR,
    };
    struct options options;
    struct journal_file file = {.fd = -1};
    if (!options_read(&options, argc, argv, fail))
        return false;
    if (options.command != COMMAND_HELP &&
        !journal_file_open(&file, options.file, access[options.command], options.lock_timeout_ms,
                           fail))
        return false;
    const bool is_done = run_command(&options, &file, fail);
    journal_file_close(&file);
    return is_done;
}

int main(int argc, char **argv)
{
    struct fail fail = {0};
    /* The system's OpenSSL settings have no say in a hash, and reading them costs more than it. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    if (run(argc, argv, &fail))
        return EXIT_CODE_DONE;
    fprintf(stderr, "journal: %s\n", fail.text);
    return (int)fail.code;
}
