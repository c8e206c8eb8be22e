/* The worker's command: reads the options, opens what the job needs, and picks the exit code. */
#include <getopt.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "log_file.h"
#include "number.h"
#include "worker.h"

enum { DEFAULT_TIMEOUT_MS = 10000, TIMEOUT_MAX_MS = 600000 };

struct options {
    const char *log;
    const char *service;
    struct job_names names;
    int64_t timeout_ms;
    bool want_help;
};

static const char help[] =
    "ticket-worker - follows up one support ticket, whatever dies in between\n"
    "\n"
    "usage: ticket-worker --log F --service URL --run R --case C --ticket T --title S\n"
    "                     [--timeout-ms N]\n"
    "\n"
    "  --log F          the event log; made when it is not there\n"
    "  --service URL    of the follow-up service: http://127.0.0.1:PORT\n"
    "  --run, --case, --ticket   the job's name: 1 to 64 of A-Z a-z 0-9 . _ - each\n"
    "  --title S        the ticket's title, UTF-8\n"
    "  --timeout-ms N   for each request, and for the log to move on (10000)\n"
    "\n"
    "Started again it goes on from what its log says. stdout: one line of JSON for each event "
    "that\n"
    "is durable.\n"
    "\n"
    "exit status: 0 completed, 1 the system or the service refused and nothing is in doubt, 2 "
    "usage,\n"
    "             4 the log cannot be trusted: nothing was sent or appended, 75 the outcome is\n"
    "             unknown: HOLD_UNKNOWN stands in the log\n";

static bool usage(struct fail *fail, const char *what)
{
    return fail_with(fail, EXIT_CODE_USAGE, "%s (ticket-worker --help says more)", what);
}

static bool read_service(struct options *options, struct fail *fail)
{
    static const char scheme[] = "http://";
    options->service = optarg;
    const size_t size = strlen(optarg);
    return (strncmp(optarg, scheme, sizeof scheme - 1) == 0 && size >= sizeof scheme &&
            optarg[size - 1] != '/') ||
           usage(fail, "--service wants http://HOST:PORT, without a slash at its end");
}

static bool read_option(struct options *options, int option, struct fail *fail)
{
    switch (option) {
    case 'h':
        options->want_help = true;
        return true;
    case 'l':
        options->log = optarg;
        return optarg[0] != '\0' || usage(fail, "--log wants a name");
    case 's':
        return read_service(options, fail);
    case 'r':
        options->names.run = optarg;
        return true;
    case 'c':
        options->names.case_name = optarg;
        return true;
    case 't':
        options->names.ticket_id = optarg;
        return true;
    case 'i':
        options->names.title = optarg;
        return true;
    case 'm':
        return number_read(optarg, 1, TIMEOUT_MAX_MS, &options->timeout_ms) ||
               usage(fail, "--timeout-ms wants 1 to 600000");
    default:
        return usage(fail, "unknown option, or one without its value");
    }
}

static bool read_options(struct options *options, int argc, char **argv, struct fail *fail)
{
    static const struct option table[] = {{"log", required_argument, NULL, 'l'},
                                          {"service", required_argument, NULL, 's'},
                                          {"run", required_argument, NULL, 'r'},
                                          {"case", required_argument, NULL, 'c'},
                                          {"ticket", required_argument, NULL, 't'},
                                          {"title", required_argument, NULL, 'i'},
                                          {"timeout-ms", required_argument, NULL, 'm'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "+h", table, NULL)) != -1;) {
        if (!read_option(options, option, fail))
            return false;
    }
    if (options->want_help)
        return true;
    if (optind != argc)
        return usage(fail, "it takes options only");
    const struct job_names *names = &options->names;
    return (options->log && options->service && names->run && names->case_name &&
            names->ticket_id && names->title) ||
           usage(fail, "--log, --service, --run, --case, --ticket and --title are all needed");
}

static bool work(const struct options *options, struct fail *fail)
{
    struct log_file file;
    struct log log;
    const int timeout_ms = (int)options->timeout_ms;
    struct worker worker = {.log = &log, .timeout_ms = timeout_ms};
    if (!job_init(&worker.job, &options->names, fail) ||
        !client_open(&worker.client, options->service, timeout_ms, fail))
        return false;
    log_file_init(&file, options->log);
    log_init(&log, &log_file_backend, &file);
    worker.writer = (struct writer){
        .log = &log, .job = &worker.job, .out_fd = STDOUT_FILENO, .timeout_ms = timeout_ms};
    const bool is_done = worker_run(&worker, fail);
    history_fini(&worker.history);
    log_close(&log);
    client_close(&worker.client);
    return is_done;
}

int main(int argc, char **argv)
{
    struct options options = {.timeout_ms = DEFAULT_TIMEOUT_MS};
    struct fail fail = {0};
    /* The system's OpenSSL settings have no say in a hash, and reading them costs more than it. */
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    if (!read_options(&options, argc, argv, &fail)) {
        fprintf(stderr, "ticket-worker: %s\n", fail.text);
        return (int)fail.code;
    }
    if (options.want_help)
        return fputs(help, stdout) >= 0 ? EXIT_CODE_DONE : EXIT_CODE_SYSTEM;
    if (work(&options, &fail))
        return EXIT_CODE_DONE;
    fprintf(stderr, "ticket-worker: %s\n", fail.text);
    return (int)fail.code;
}
