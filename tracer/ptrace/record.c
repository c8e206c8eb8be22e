#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "births.h"
#include "halt.h"
#include "locks.h"
#include "loop.h"
#include "pin.h"
#include "robust.h"
#include "start.h"
#include "terminal.h"
#include "tracer/base/clock.h"
#include "tracer/base/own.h"
#include "turns.h"
#include "watch.h"

static const struct {
    const char *word;
    unsigned bits;
} WITHOUT[] = {
    {"uffd", WITHOUT_UFFD},   {"mgtime", WITHOUT_MGTIME}, {"setinfo", WITHOUT_SETINFO},
    {"tmpfs", WITHOUT_TMPFS}, {"all", WITHOUT_ALL},
};

static bool without_word(const char *word, size_t size, unsigned *out)
{
    for (size_t i = 0; i < sizeof WITHOUT / sizeof *WITHOUT; i++) {
        if (strlen(WITHOUT[i].word) == size && strncmp(WITHOUT[i].word, word, size) == 0) {
            *out |= WITHOUT[i].bits;
            return true;
        }
    }
    return false;
}

bool without_parse(const char *list, unsigned *out, struct err *err)
{
    unsigned found = 0;
    for (const char *word = list; *word != '\0';) {
        const size_t size = strcspn(word, ",");
        if (size > 0 && !without_word(word, size, &found)) {
            return err_usage(err,
                             "BRINK_WITHOUT: unknown word \"%.*s\"; there are uffd, mgtime, "
                             "setinfo, tmpfs and all",
                             (int)size, word);
        }
        word += size;
        word += *word == ',';
    }
    *out |= found;
    return true;
}

/* The workspace on disk: its device and inode are the root node's. */
static bool find_root(const struct record_options *options, struct stat *facts, struct err *err)
{
    const int got =
        options->copy_fd >= 0 ? fstat(options->copy_fd, facts) : stat(options->workspace, facts);
    if (got == -1)
        return err_system(err, "look at the workspace %s", options->workspace);
    return true;
}

static bool make(struct recorder *recorder, const struct snapshot_items *items, struct err *err)
{
    struct stat root;
    unsigned without = recorder->options->without;
    const char *environment = getenv("BRINK_WITHOUT");
    if (environment != NULL && !without_parse(environment, &without, err))
        return false;
    if (!turns_new(recorder->options->locks, recorder->writer->trace, &recorder->turns, err) ||
        !find_root(recorder->options, &root, err))
        return false;
    nodes_init(&recorder->nodes, recorder->writer, root.st_dev);
    const struct trace *trace = recorder->writer->trace;
    for (uint32_t i = 0; i < trace->count; i++)
        nodes_apply(&recorder->nodes, &trace->ops[i]);
    nodes_add_items(&recorder->nodes, items);
    nodes_set_ino(&recorder->nodes, NODE_ROOT, root.st_ino);
    recorder->mapped = mapped_new((without & WITHOUT_UFFD) == 0);
    recorder->robust = robust_new();
    recorder->sockets = sockets_new(recorder->writer);
    recorder->watch = watch_new(recorder->options, recorder->writer);
    if (locks_are_wanted(recorder->options))
        recorder->locks = locks_new();
    if (recorder->options->want_backtrace)
        recorder->unwinder = unwinder_new(recorder->writer);
    return true;
}

static void unmake(struct recorder *recorder)
{
    turns_free(recorder->turns);
    locks_free(recorder->locks);
    watch_free(recorder->watch);
    unwinder_free(recorder->unwinder);
    sockets_free(recorder->sockets);
    robust_free(recorder->robust);
    mapped_free(recorder->mapped);
    files_free(recorder->files);
    tracees_fini(&recorder->tracees);
    nodes_fini(&recorder->nodes);
}

/* Runs the worker that has been started to its end. */
static bool follow(struct recorder *recorder, const struct start *start, enum record_end *end,
                   struct err *err)
{
    const struct files_options files = {.stdout_fd = start->stdout_fd,
                                        .stderr_fd = start->stderr_fd,
                                        .workspace = recorder->options->workspace};
    recorder->files = files_new(&recorder->nodes, &files);
    births_first(recorder, start->pid);
    if (!loop_run(recorder, end, err))
        return false;
    if (!recorder->has_execed && *end == RECORD_ENDED)
        return start_failed(start, err);
    if ((*end == RECORD_ENDED || *end == RECORD_TIMED_OUT) && !turns_check(recorder->turns, err))
        return false;
    if (recorder->watch != NULL && *end == RECORD_ENDED)
        *end = RECORD_MISSED;
    if (*end == RECORD_HALTED && !halt_verify(recorder, err))
        return false;
    if (*end == RECORD_HALTED && recorder->options->halted != NULL)
        *recorder->options->halted = recorder->halted;
    if (recorder->unwinder != NULL && recorder->options->halt == NULL)
        unwinder_resolve(recorder->unwinder);
    return true;
}

static bool run(struct recorder *recorder, enum record_end *end, struct err *err)
{
    struct terminal terminal;
    if (!terminal_open(&terminal, recorder->options->is_tty, err))
        return false;
    const struct start_options options = {.record = recorder->options,
                                          .terminal_fd = terminal.worker_fd};
    struct start start;
    if (!start_worker(&options, &start, err)) {
        terminal_close(&terminal);
        return false;
    }
    struct trace_about *about = &recorder->writer->trace->about;
    about->started_ns = clock_date();
    const int64_t started = clock_now();
    terminal.is_silent = !recorder->options->want_output;
    terminal_pump(&terminal);
    const bool is_done = follow(recorder, &start, end, err);
    about->elapsed_ns = clock_now() - started;
    about->processes = recorder->processes;
    start_fini(&start);
    terminal_close(&terminal);
    return is_done;
}

bool record(const struct record_options *options, const struct snapshot_items *items,
            struct trace_writer *writer, enum record_end *end, struct err *err)
{
    struct recorder recorder = {.options = options, .writer = writer};
    struct pin pin;
    pin_set(&pin, options->want_pin);
    const bool is_done = make(&recorder, items, err) && run(&recorder, end, err);
    unmake(&recorder);
    pin_restore(&pin);
    return is_done;
}
