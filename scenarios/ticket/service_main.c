/* The service's command: starts it, says where it listens, and waits to be told to end. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"
#include "number.h"
#include "service.h"

enum { PORT_MAX = 65535, DELAY_MAX_MS = 600000, NAMES_SIZE = 600 };

struct options {
    const char *db;
    int64_t port;
    const struct profile *profile;
    int64_t classifier;
    int64_t delay_ms;
    bool want_help;
};

static const char help[] =
    "ticket-service - does each follow-up once, and keeps a ledger of its own\n"
    "\n"
    "usage: ticket-service --db F [--port N] [--profile P] [--classifier N] [--delay-ms N]\n"
    "\n"
    "  --db F           its SQLite database; made when it is not there\n"
    "  --port N         on 127.0.0.1; a free one without it. Prints READY and the port\n"
    "  --profile P      how it behaves (lab)\n"
    "  --classifier N   so many different answers for one job, one after the other (1; at most 3)\n"
    "  --delay-ms N     how long answers are late or requests in flight (2000),\n"
    "                   and how long a first request runs under ietf (0)\n"
    "\n"
    "  POST /classifications {job_id, ticket_id, title}   what the ticket needs\n"
    "  POST /actions, Idempotency-Key: \"ID\"               the follow-up: 201, 200 again, 409\n"
    "  GET /actions/ID                                    its receipt, positive or negative\n"
    "  GET /contract                                      what those receipts mean\n"
    "  PUT /control/profile NAME, PUT /control/reset      for the laboratory\n"
    "\n"
    "profiles: ";

static bool usage(struct fail *fail, const char *what)
{
    return fail_with(fail, EXIT_CODE_USAGE, "%s (ticket-service --help says more)", what);
}

static bool read_option(struct options *options, int option, struct fail *fail)
{
    switch (option) {
    case 'h':
        options->want_help = true;
        return true;
    case 'd':
        options->db = optarg;
        return optarg[0] != '\0' || usage(fail, "--db wants a name");
    case 'p':
        return number_read(optarg, 0, PORT_MAX, &options->port) ||
               usage(fail, "--port wants 0 to 65535");
    case 'f':
        options->profile = profile_find(optarg);
        return options->profile || usage(fail, "--profile: no profile has that name");
    case 'c':
        return number_read(optarg, 1, SERVICE_CLASSIFIERS, &options->classifier) ||
               usage(fail, "--classifier wants 1 to 3");
    case 'y':
        return number_read(optarg, 0, DELAY_MAX_MS, &options->delay_ms) ||
               usage(fail, "--delay-ms wants 0 to 600000");
    default:
        return usage(fail, "unknown option, or one without its value");
    }
}

static bool read_options(struct options *options, int argc, char **argv, struct fail *fail)
{
    static const struct option table[] = {{"db", required_argument, NULL, 'd'},
                                          {"port", required_argument, NULL, 'p'},
                                          {"profile", required_argument, NULL, 'f'},
                                          {"classifier", required_argument, NULL, 'c'},
                                          {"delay-ms", required_argument, NULL, 'y'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, "+h", table, NULL)) != -1;) {
        if (!read_option(options, option, fail))
            return false;
    }
    if (optind != argc)
        return usage(fail, "it takes options only");
    return options->want_help || options->db || usage(fail, "--db is missing");
}

static bool serve(const struct options *options, struct fail *fail)
{
    struct service service;
    struct http http = {0};
    int signal_number = 0;
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* before the threads, which inherit it */
    service_init(&service);
    service.profile = service.first_profile = options->profile;
    service.classifier = (int)options->classifier;
    if (options->delay_ms >= 0)
        service.delay_ms = service.run_ms = (int)options->delay_ms;
    if (!ledger_open(&service.ledger, options->db, fail))
        return false;
    const bool is_started = http_start(&http, (uint16_t)options->port, &service, fail);
    if (is_started) {
        printf("READY %" PRIu16 "\n", http.port);
        fflush(stdout);
        sigwait(&ends, &signal_number);
        http_stop(&http);
    }
    ledger_close(&service.ledger);
    return is_started;
}

int main(int argc, char **argv)
{
    struct options options = {.profile = profile_find("lab"), .classifier = 1, .delay_ms = -1};
    struct fail fail = {0};
    char names[NAMES_SIZE];
    if (!read_options(&options, argc, argv, &fail)) {
        fprintf(stderr, "ticket-service: %s\n", fail.text);
        return (int)fail.code;
    }
    if (options.want_help) {
        profile_names(names, sizeof names);
        return printf("%s%s\n", help, names) > 0 ? EXIT_CODE_DONE : EXIT_CODE_SYSTEM;
    }
    if (serve(&options, &fail))
        return EXIT_CODE_DONE;
    fprintf(stderr, "ticket-service: %s\n", fail.text);
    return (int)fail.code;
}
