#include "recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/trace/snapshot.h"

bool recording_read_without(unsigned *out, struct err *err)
{
    const char *list = getenv("BRINK_WITHOUT");
    *out = 0;
    return list == NULL || without_parse(list, out, err) || err_while(err, "BRINK_WITHOUT");
}

/* The user's patterns and one more; relative is taken over. */
static char **join_exclude(const struct words *words, char *relative)
{
    char **list = mem_new(words->count + 2, sizeof *list);
    for (size_t i = 0; i < words->count; i++)
        list[i] = mem_string(words->items[i]);
    list[words->count] = relative;
    return list;
}

bool recording_prepare(struct recording *recording, const struct settings *settings,
                       struct janitor *janitor, const struct out *out, struct err *err)
{
    char *relative = NULL;
    recording->settings = settings;
    recording->janitor = janitor;
    recording->interrupted = interrupt_flag();
    if (!recording_read_without(&recording->without, err) ||
        !command_of_words(settings->rest, &recording->worker, err))
        return false;
    if (out != NULL && settings->dir != NULL) {
        char *real OWN(own_mem) = realpath(settings->dir, NULL);
        if (real != NULL && !out_inside(out, real, &relative, err))
            return false;
    }
    recording->exclude = join_exclude(&settings->exclude, relative);
    const struct workspace_options options = {
        .dir = settings->dir,
        .init = settings->init,
        .setup = settings->setup,
        .exclude = (const char *const *)recording->exclude,
        .environment = settings->env.items,
        .janitor = janitor,
    };
    return workspace_prepare(&options, &recording->workspace, err) &&
           input_open(&recording->input, err);
}

void recording_fini(struct recording *recording)
{
    command_fini(&recording->worker);
    input_close(recording->input);
    workspace_close(recording->workspace);
    for (char **item = recording->exclude; item != NULL && *item != NULL; item++)
        free(*item);
    free(recording->exclude);
    *recording = (struct recording){0};
}

struct record_options recording_options(const struct recording *recording)
{
    const struct settings *settings = recording->settings;
    return (struct record_options){
        .argv = (const char *const *)recording->worker.argv,
        .workspace = workspace_path(recording->workspace),
        .copy_fd = -1,
        .environment = settings->env.items,
        .exclude = (const char *const *)recording->exclude,
        .stdin_fd = -1,
        .is_tty = settings->is_tty,
        .want_output = true,
        .want_pin = !settings->no_pin,
        .want_backtrace = !settings->no_backtrace,
        .without = recording->without,
        .timeout_ns = settings->timeout_ns,
        .interrupted = recording->interrupted,
    };
}

static bool judge_end(const struct recording *recording, enum record_end end, struct err *err)
{
    switch (end) {
    case RECORD_ENDED:
        return true;
    case RECORD_TIMED_OUT:
        return err_usage(err,
                         "record %s: it did not end within %g s; give it an end of its own, or "
                         "more time with --timeout",
                         recording->settings->rest[0],
                         clock_seconds(recording->settings->timeout_ns));
    case RECORD_INTERRUPTED:
        return err_harness(err, "record %s: interrupted; nothing was kept",
                           recording->settings->rest[0]);
    case RECORD_HALTED:
    case RECORD_MISSED:
        break;
    }
    return err_harness(err, "record %s: halted without having been asked to",
                       recording->settings->rest[0]);
}

static void fill_about(const struct recording *recording, struct trace *trace)
{
    const struct settings *settings = recording->settings;
    trace->about.workspace = mem_string(workspace_path(recording->workspace));
    trace->about.argv = mem_new(settings->rest_count + 1, sizeof *trace->about.argv);
    for (size_t i = 0; i < settings->rest_count; i++)
        trace->about.argv[i] = mem_string(settings->rest[i]);
}

/* One run, with entry stops alone where they may do, or with all exits. */
struct attempt {
    bool want_exits;
    bool want_output;
};

static bool run_worker(const struct recording *recording, struct attempt attempt,
                       struct trace_writer *writer, const struct snapshot_items *items,
                       struct err *err)
{
    struct record_options options = recording_options(recording);
    enum record_end end = RECORD_ENDED;
    options.copy_fd = workspace_copy_fd(recording->workspace);
    options.want_exits = attempt.want_exits;
    options.want_output = attempt.want_output;
    if (!input_begin(recording->input, &options.stdin_fd, err))
        return false;
    const bool is_done = record(&options, items, writer, &end, err);
    input_end(recording->input, options.stdin_fd);
    return is_done && judge_end(recording, end, err);
}

static bool fill(const struct recording *recording, struct attempt attempt,
                 struct trace_writer *writer, struct err *err)
{
    struct snapshot_items items = {0};
    const struct snapshot_options options = {
        .dir = NODE_ROOT, .prefix = "", .exclude = (const char *const *)recording->exclude};
    bool is_done = snapshot_read(writer, workspace_fd(recording->workspace), &options, &items, err);
    writer->trace->initial = writer->trace->count;
    is_done = is_done && run_worker(recording, attempt, writer, &items, err) &&
              trace_writer_finish(writer, err);
    free(items.items);
    return is_done;
}

static bool record_once(const struct recording *recording, struct attempt attempt,
                        struct store *store, struct trace *trace, struct err *err)
{
    int payload_fd = -1;
    struct trace_writer writer;
    if (!store_payload_create(store, &payload_fd, err))
        return false;
    trace_writer_init(&writer, trace, payload_fd);
    const bool is_done = fill(recording, attempt, &writer, err);
    trace_writer_fini(&writer);
    fill_about(recording, trace);
    return is_done;
}

/* *difference: the first one between what the trace gives and what is there; NULL when equal. */
static bool self_check(const struct recording *recording, const struct trace *trace,
                       char **difference, struct err *err)
{
    struct tree *tree = tree_new(trace);
    struct err misfit = {0};
    bool is_done = true;
    for (uint32_t i = 0; misfit.kind == ERR_NONE && i < trace->count; i++) {
        if (!tree_apply(tree, &trace->ops[i], &misfit))
            *difference = mem_string(misfit.text);
    }
    if (misfit.kind == ERR_NONE) {
        is_done = snapshot_compare(tree, workspace_fd(recording->workspace),
                                   (const char *const *)recording->exclude, difference, err);
    }
    tree_free(tree);
    return is_done || err_while(err, "self-check of the recording");
}

bool recording_make(struct recording *recording, struct store *store, struct trace *trace,
                    struct err *err)
{
    char *difference OWN(own_mem) = NULL;
    if (!record_once(recording, (struct attempt){.want_output = true}, store, trace, err) ||
        !self_check(recording, trace, &difference, err))
        return false;
    if (difference == NULL)
        return store_write_trace(store, trace, err);
    /* What a write was asked to do may not be what it did; the exits know. The worker has said to
     * the user what it had to say. */
    free(difference);
    difference = NULL;
    trace_fini(trace);
    trace_init(trace);
    if (!workspace_renew(recording->workspace, err) ||
        !record_once(recording, (struct attempt){.want_exits = true}, store, trace, err) ||
        !self_check(recording, trace, &difference, err))
        return false;
    if (difference == NULL)
        return store_write_trace(store, trace, err);
    char *shown OWN(own_mem) = text_escape(difference, SIZE_MAX);
    return err_harness(err,
                       "self-check: the trace does not lead to the workspace that the worker left: "
                       "%s; an incomplete trace is not explored",
                       shown);
}
