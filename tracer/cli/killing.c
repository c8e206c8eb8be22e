#include "killing.h"

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

/* One run, beside what is asked for. */
struct strike {
    const struct killing *killing;
    struct record_halted halted;
    struct input *input; /* the caller's stdin; NULL: the scenario has its own */
    int dir_fd;
    unsigned without;
    struct trace trace;
    struct trace_writer writer;
    struct snapshot_items items;
    enum record_end end;
};

static bool make_dir(char **out, struct err *err)
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
    *out = path;
    return true;
}

bool killing_find_dir(const struct settings *settings, char **out, struct err *err)
{
    if (settings->dir == NULL)
        return make_dir(out, err);
    char *dir = realpath(settings->dir, NULL);
    if (dir == NULL) {
        err_system(err, "workspace %s", settings->dir);
        err->kind = ERR_USAGE;
        return false;
    }
    if (strcmp(dir, "/") == 0) {
        free(dir);
        return err_usage(err, "workspace /: the whole machine cannot be the workspace");
    }
    *out = dir;
    return true;
}

void killing_drop_dir(const struct settings *settings, const char *dir)
{
    struct err ignored = {0};
    if (dir != NULL && settings->dir == NULL && !folder_remove(AT_FDCWD, dir, &ignored))
        fprintf(stderr, "brink: %s is left behind: %s\n", dir, ignored.text);
}

static bool open_dir(const struct killing *killing, int *out, struct err *err)
{
    *out = open(killing->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*out >= 0)
        return true;
    err_system(err, "workspace %s", killing->dir);
    err->kind = ERR_USAGE;
    return false;
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

static bool copy_init(const struct killing *killing, int dir_fd, struct err *err)
{
    if (!is_empty(dir_fd)) {
        return err_usage(err,
                         "--init: %s is not empty, and brink kill works in it; leave out one of "
                         "the two",
                         killing->dir);
    }
    const int init OWN(own_fd) = open(killing->init, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (init == -1) {
        err_system(err, "--init %s", killing->init);
        err->kind = ERR_USAGE;
        return false;
    }
    return folder_copy(init, dir_fd, err) || err_while(err, "--init %s", killing->init);
}

bool killing_fill(const struct killing *killing, struct err *err)
{
    int dir_fd OWN(own_fd) = -1;
    const struct setup setup = {.text = killing->setup,
                                .path = killing->dir,
                                .copy_fd = -1,
                                .environment = killing->settings->env.items};
    return open_dir(killing, &dir_fd, err) &&
           (killing->init == NULL || copy_init(killing, dir_fd, err)) &&
           (killing->setup == NULL || setup_run(&setup, err));
}

/* The payload may be large, and is of no use afterwards. */
static bool open_writer(struct strike *strike, struct err *err)
{
    char *parent OWN(own_mem) = NULL;
    if (!temporary_parent(strike->killing->dir, &parent, err))
        return false;
    int fd = open(parent, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd == -1) { /* not every file system can */
        char *path OWN(own_mem) = mem_format("%s/.brink-payload-XXXXXX", parent);
        fd = mkostemp(path, O_CLOEXEC);
        if (fd == -1)
            return err_system(err, "make a temporary file in %s", parent);
        unlink(path);
    }
    trace_writer_init(&strike->writer, &strike->trace, fd);
    return true;
}

static bool begin(struct strike *strike, struct err *err)
{
    const struct snapshot_options initial = {
        .dir = NODE_ROOT, .prefix = "", .exclude = strike->killing->settings->exclude.items};
    if (!recording_read_without(&strike->without, err) ||
        !open_dir(strike->killing, &strike->dir_fd, err) || !open_writer(strike, err) ||
        !snapshot_read(&strike->writer, strike->dir_fd, &initial, &strike->items, err))
        return false;
    strike->trace.initial = strike->trace.count;
    return strike->killing->stdin_fd != NULL || input_open(&strike->input, err);
}

static bool go(struct strike *strike, struct err *err)
{
    const struct killing *killing = strike->killing;
    const struct settings *settings = killing->settings;
    struct record_options options = {
        .argv = killing->argv,
        .workspace = killing->dir,
        .copy_fd = -1,
        .environment = killing->environment,
        .exclude = settings->exclude.items,
        .is_tty = settings->is_tty,
        .want_output = true,
        .want_pin = !settings->no_pin,
        .want_backtrace = !settings->no_backtrace,
        .want_exits = true,
        .without = strike->without,
        .timeout_ns = killing->timeout_ns,
        .barrier = killing->barrier,
        .halted = &strike->halted,
        .locks = killing->locks,
        .interrupted = interrupt_flag(),
    };
    if (killing->stdin_fd != NULL)
        options.stdin_fd = *killing->stdin_fd;
    if (strike->input != NULL && !input_begin(strike->input, &options.stdin_fd, err))
        return false;
    const bool is_done = record(&options, &strike->items, &strike->writer, &strike->end, err);
    if (strike->input != NULL)
        input_end(strike->input, options.stdin_fd);
    return is_done && trace_writer_finish(&strike->writer, err);
}

static void tell_missed(const struct strike *strike)
{
    char *words OWN(own_mem) = barrier_describe(strike->killing->barrier);
    char *end OWN(own_mem) = halt_report_end(strike->trace.about.wait_status);
    fprintf(stderr, "brink: the barrier was never reached: %s; the worker %s\n", words, end);
}

static bool judge(const struct strike *strike, int *status, struct err *err)
{
    const struct killing *killing = strike->killing;
    switch (strike->end) {
    case RECORD_HALTED:
        *status = EXIT_HELD;
        if (!killing->settings->is_quiet)
            halt_report_print(strike->killing->barrier, &strike->halted, &strike->trace, stderr);
        return true;
    case RECORD_ENDED:
    case RECORD_MISSED:
        *status = EXIT_FOUND;
        tell_missed(strike);
        return true;
    case RECORD_TIMED_OUT:
        return err_usage(err,
                         "the barrier was not reached within %g s, and the worker was killed; give "
                         "it more time with --timeout",
                         clock_seconds(killing->timeout_ns));
    case RECORD_INTERRUPTED:
        break;
    }
    return err_harness(err, "interrupted; the worker was killed");
}

static void tell_rest(const struct strike *strike)
{
    const struct trace_about *about = &strike->trace.about;
    if (strike->killing->settings->is_quiet)
        return;
    for (size_t i = 0; i < about->notes_count; i++)
        fprintf(stderr, "brink: note: %s\n", about->notes[i]);
    fprintf(stderr, "brink: workspace: %s\n", strike->killing->dir);
}

static void fini(struct strike *strike)
{
    trace_writer_fini(&strike->writer);
    trace_fini(&strike->trace);
    free(strike->items.items);
    input_close(strike->input);
    own_fd(&strike->dir_fd);
}

bool killing_run(const struct killing *killing, bool *has_run, int *status, struct err *err)
{
    struct strike strike = {.killing = killing, .dir_fd = -1, .writer.fd = -1};
    trace_init(&strike.trace);
    *has_run = begin(&strike, err) && go(&strike, err);
    const bool is_done = *has_run && judge(&strike, status, err);
    if (*has_run)
        tell_rest(&strike);
    fini(&strike);
    return is_done;
}
