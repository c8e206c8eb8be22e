/* ticket-log: lists a log, appends to it as a second writer, reduces it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history.h"
#include "log_file.h"
#include "log_read.h"

enum { TIMEOUT_MS = 10000 };

static const char help[] =
    "ticket-log - looks into an event log, and writes to it as a second writer\n"
    "\n"
    "usage: ticket-log --log F list           each record, as it stands there\n"
    "       ticket-log --log F append EVENT   one event, the JSON of its nine fields\n"
    "       ticket-log --log F gap            a position that carries no record\n"
    "       ticket-log --log F reduce         each event id once\n"
    "\n"
    "exit status: 0 done, 1 the system refused, 2 usage, 4 the log or the event is damaged, or "
    "two\n"
    "             events with one id are in conflict\n";

static bool usage(struct fail *fail, const char *what)
{
    return fail_with(fail, EXIT_CODE_USAGE, "%s (ticket-log --help says more)", what);
}

static bool print_record(void *context, const char *text, size_t size, struct fail *fail)
{
    (void)context;
    return (fwrite(text, 1, size, stdout) == size && putchar('\n') == '\n') ||
           fail_system(fail, "write");
}

static bool list(struct log *log, struct fail *fail)
{
    const struct log_reader reader = {print_record, NULL, TIMEOUT_MS};
    return log_read_all(log, &reader, fail);
}

static bool print_event(const struct event *event, struct fail *fail)
{
    char *text = event_write(event);
    if (!text)
        return fail_memory(fail);
    const bool is_printed = puts(text) >= 0 || fail_system(fail, "write");
    free(text);
    return is_printed;
}

/* Prints only when all of the log was found to be without conflict. */
static bool reduce(struct log *log, struct fail *fail)
{
    struct history history = {0};
    const struct log_reader reader = {history_take, &history, TIMEOUT_MS};
    bool is_done = log_read_all(log, &reader, fail);
    for (size_t i = 0; is_done && i < history.count; i++)
        is_done = print_event(&history.events[i], fail);
    if (is_done)
        fprintf(stderr, "ticket-log: raw=%zu reduced=%zu\n", history.raw, history.count);
    history_fini(&history);
    return is_done;
}

static bool append_text(struct log *log, const char *text, struct fail *fail)
{
    return log_append(log, text, strlen(text), fail) && log_flush(log, fail) &&
           log_wait(log, TIMEOUT_MS, fail);
}

static bool append(struct log *log, const char *text, struct fail *fail)
{
    struct event event = {0};
    if (!event_read(&event, text, strlen(text), fail))
        return false;
    char *canonical = event_write(&event);
    event_fini(&event);
    if (!canonical)
        return fail_memory(fail);
    const bool is_done = append_text(log, canonical, fail);
    free(canonical);
    return is_done;
}

static bool run_command(struct log *log, int count, char **words, struct fail *fail)
{
    if (count == 2 && strcmp(words[0], "append") == 0)
        return append(log, words[1], fail);
    if (count != 1)
        return usage(fail, "a command is missing, or has too many arguments");
    if (strcmp(words[0], "list") == 0)
        return list(log, fail);
    if (strcmp(words[0], "gap") == 0)
        return append_text(log, "", fail);
    if (strcmp(words[0], "reduce") == 0)
        return reduce(log, fail);
    return usage(fail, "unknown command: it must be list, append EVENT, gap or reduce");
}

int main(int argc, char **argv)
{
    struct log_file file;
    struct log log;
    struct fail fail = {0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) >= 0 ? EXIT_CODE_DONE : EXIT_CODE_SYSTEM;
    if (argc < 4 || strcmp(argv[1], "--log") != 0) {
        usage(&fail, "it wants --log F and a command");
    } else {
        log_file_init(&file, argv[2]);
        log_init(&log, &log_file_backend, &file);
        const bool is_done = run_command(&log, argc - 3, argv + 3, &fail);
        log_close(&log);
        if (is_done && fflush(stdout) == 0)
            return EXIT_CODE_DONE;
        if (is_done)
            fail_system(&fail, "write");
    }
    fprintf(stderr, "ticket-log: %s\n", fail.text);
    return (int)fail.code;
}
