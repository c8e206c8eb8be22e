/* verb_kill.c - brink kill: halt the worker at one barrier, for real, and leave the workspace. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "halt_report.h"
#include "interrupt.h"
#include "recording.h"
#include "tracer/base/clock.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/runner/setup.h"
#include "tracer/runner/temporary.h"
#include "tracer/trace/snapshot.h"
#include "verbs.h"

struct killing {
    const struct settings *settings;
    struct barrier barrier;
    struct record_halted halted;
    struct command worker;
    struct input *input;
    char *dir; /* absolute; the worker runs in it, and it stays */
    int dir_fd;
    unsigned without;
    struct trace trace;
    struct trace_writer writer;
    struct snapshot_items items;
    enum record_end end;
};

/* A folder of its own that is not hidden, for it is the user's from now on. */
static bool make_dir(struct killing *killing, struct err *err)
{
    char *parent OWN(own_mem) = NULL;
    if (!temporary_parent(NULL, &parent, err))
        return false;
    char *path = mem_format("%s/brink-killed-XXXXXX", parent);
    if (mkdtemp(path) == NULL) {
        err_system(err, "make a folder in %s", parent);
        free(path);
        return false;
    }
    killing->dir = path;
    return true;
}

static bool find_dir(struct killing *killing, struct err *err)
{
    const char *given = killing->settings->dir;
    if (given == NULL)
        return make_dir(killing, err);
    killing->dir = realpath(given, NULL);
    if (killing->dir == NULL) {
        err_system(err, "workspace %s", given);
        err->kind = ERR_USAGE;
        return false;
    }
    if (strcmp(killing->dir, "/") == 0)
        return err_usage(err, "workspace /: the whole machine cannot be the workspace");
    return true;
}

static bool is_empty(int fd)
{
    const int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again == -1 ? NULL : fdopendir(again);
    size_t count = 0;
    if (dir == NULL)
        return false;
    while (readdir(dir) != NULL)
        count++;
    closedir(dir);
    return count <= 2; /* itself and its parent */
}

/* What the user has in his folder is never replaced. */
static bool fill_dir(const struct killing *killing, struct err *err)
{
    const struct settings *settings = killing->settings;
    if (settings->init != NULL && !is_empty(killing->dir_fd)) {
        return err_usage(err,
                         "--init: %s is not empty, and brink kill works in it; leave out one of "
                         "the two",
                         killing->dir);
    }
    if (settings->init != NULL) {
        const int init OWN(own_fd) = open(settings->init, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (init == -1) {
            err_system(err, "--init %s", settings->init);
            err->kind = ERR_USAGE;
            return false;
        }
        if (!folder_copy(init, killing->dir_fd, err))
            return err_while(err, "--init %s", settings->init);
    }
    const struct setup setup = {.text = settings->setup,
                                .path = killing->dir,
                                .copy_fd = -1,
                                .environment = settings->env.items};
    return settings->setup == NULL || setup_run(&setup, err);
}

static bool prepare(struct killing *killing, struct err *err)
{
    if (killing->settings->at == NULL)
        return err_usage(err, "brink kill: --at says where; for example --at 'write path=*.log'");
    if (!barrier_parse(killing->settings->at, &killing->barrier, err))
        return err_while(err, "--at");
    if (!recording_read_without(&killing->without, err) ||
        !command_of_words(killing->settings->rest, &killing->worker, err) ||
        !find_dir(killing, err))
        return false;
    killing->dir_fd = open(killing->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (killing->dir_fd == -1) {
        err_system(err, "workspace %s", killing->dir);
        err->kind = ERR_USAGE;
        return false;
    }
    return fill_dir(killing, err) && input_open(&killing->input, err);
}

/* The payload may be large, and is of no use afterwards. */
static bool open_writer(struct killing *killing, struct err *err)
{
    char *parent OWN(own_mem) = NULL;
    if (!temporary_parent(killing->dir, &parent, err))
        return false;
    int fd = open(parent, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd == -1) { /* not every file system can */
        char *path OWN(own_mem) = mem_format("%s/.brink-payload-XXXXXX", parent);
        fd = mkostemp(path, O_CLOEXEC);
        if (fd == -1)
            return err_system(err, "make a temporary file in %s", parent);
        unlink(path);
    }
    trace_writer_init(&killing->writer, &killing->trace, fd);
    return true;
}

static bool run(struct killing *killing, struct err *err)
{
    const struct settings *settings = killing->settings;
    struct record_options options = {
        .argv = (const char *const *)killing->worker.argv,
        .workspace = killing->dir,
        .copy_fd = -1,
        .environment = settings->env.items,
        .exclude = settings->exclude.items,
        .is_tty = settings->is_tty,
        .want_output = true,
        .want_pin = !settings->no_pin,
        .want_backtrace = !settings->no_backtrace,
        .want_exits = true,
        .without = killing->without,
        .timeout_ns = settings->timeout_ns,
        .barrier = &killing->barrier,
        .halted = &killing->halted,
        .interrupted = interrupt_flag(),
    };
    const struct snapshot_options initial = {
        .dir = NODE_ROOT, .prefix = "", .exclude = settings->exclude.items};
    if (!open_writer(killing, err) ||
        !snapshot_read(&killing->writer, killing->dir_fd, &initial, &killing->items, err))
        return false;
    killing->trace.initial = killing->trace.count;
    if (!input_begin(killing->input, &options.stdin_fd, err))
        return false;
    const bool is_done = record(&options, &killing->items, &killing->writer, &killing->end, err);
    input_end(killing->input, options.stdin_fd);
    return is_done && trace_writer_finish(&killing->writer, err);
}

static void tell_missed(const struct killing *killing)
{
    char *words OWN(own_mem) = barrier_describe(&killing->barrier);
    char *end OWN(own_mem) = halt_report_end(killing->trace.about.wait_status);
    fprintf(stderr, "brink: the barrier was never reached: %s; the worker %s\n", words, end);
}

static bool judge(const struct killing *killing, int *status, struct err *err)
{
    const struct settings *settings = killing->settings;
    switch (killing->end) {
    case RECORD_HALTED:
        *status = EXIT_HELD;
        if (!settings->is_quiet)
            halt_report_print(&killing->barrier, &killing->halted, &killing->trace, stderr);
        return true;
    case RECORD_ENDED:
    case RECORD_MISSED:
        *status = EXIT_FOUND;
        tell_missed(killing);
        return true;
    case RECORD_TIMED_OUT:
        return err_usage(err,
                         "the barrier was not reached within %g s, and the worker was killed; give "
                         "it more time with --timeout",
                         clock_seconds(settings->timeout_ns));
    case RECORD_INTERRUPTED:
        break;
    }
    return err_harness(err, "interrupted; the worker was killed");
}

static void tell_rest(const struct killing *killing)
{
    const struct trace_about *about = &killing->trace.about;
    if (killing->settings->is_quiet)
        return;
    for (size_t i = 0; i < about->notes_count; i++)
        fprintf(stderr, "brink: note: %s\n", about->notes[i]);
    fprintf(stderr, "brink: workspace: %s\n", killing->dir);
}

/* A folder of ours with nothing to show for it goes. */
static void drop_dir(const struct killing *killing)
{
    struct err ignored = {0};
    if (killing->dir != NULL && killing->settings->dir == NULL &&
        !folder_remove(AT_FDCWD, killing->dir, &ignored))
        fprintf(stderr, "brink: %s is left behind: %s\n", killing->dir, ignored.text);
}

static void fini(struct killing *killing)
{
    trace_writer_fini(&killing->writer);
    trace_fini(&killing->trace);
    free(killing->items.items);
    input_close(killing->input);
    command_fini(&killing->worker);
    barrier_fini(&killing->barrier);
    own_fd(&killing->dir_fd);
    free(killing->dir);
}

bool verb_kill(const struct settings *settings, int *status, struct err *err)
{
    struct killing killing = {.settings = settings, .dir_fd = -1, .writer.fd = -1};
    trace_init(&killing.trace);
    const bool is_done = prepare(&killing, err) && run(&killing, err);
    const bool is_judged = is_done && judge(&killing, status, err);
    if (is_done) {
        tell_rest(&killing);
    } else {
        drop_dir(&killing);
    }
    fini(&killing);
    return is_judged;
}
