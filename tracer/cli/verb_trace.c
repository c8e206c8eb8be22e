/* verb_trace.c - brink trace: record one run and print its ops. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "interrupt.h"
#include "kept.h"
#include "op_line.h"
#include "recording.h"
#include "tracer/base/folder.h"
#include "tracer/base/own.h"
#include "tracer/runner/temporary.h"
#include "verbs.h"

struct tracing {
    const struct settings *settings;
    struct janitor *janitor;
    struct out out;
    char *temporary; /* folder of a run that is not kept */
    int temporary_fd;
    struct store *store;
    struct recording recording;
    struct trace trace;
};

static bool open_out(struct tracing *tracing, struct err *err)
{
    const struct settings *settings = tracing->settings;
    const struct out_options options = {.is_forced = settings->is_forced};
    if (settings->out != NULL)
        return out_open(settings->out, &options, &tracing->out, err);
    char *parent OWN(own_mem) = NULL;
    char *workspace OWN(own_mem) = settings->dir != NULL ? realpath(settings->dir, NULL) : NULL;
    if (!temporary_parent(workspace, &parent, err) ||
        !folder_temporary(parent, &tracing->temporary, err) ||
        !janitor_watch(tracing->janitor, tracing->temporary, err))
        return false;
    tracing->temporary_fd = open(tracing->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return tracing->temporary_fd >= 0 || err_system(err, "open %s", tracing->temporary);
}

static bool make(struct tracing *tracing, struct err *err)
{
    const struct settings *settings = tracing->settings;
    if (!janitor_start(&tracing->janitor, err) || !open_out(tracing, err))
        return false;
    const bool is_kept = settings->out != NULL;
    const int fd = is_kept ? tracing->out.fd : tracing->temporary_fd;
    return recording_prepare(&tracing->recording, settings, tracing->janitor,
                             is_kept ? &tracing->out : NULL, err) &&
           (!is_kept || out_clear(&tracing->out, err)) && store_create(fd, &tracing->store, err) &&
           kept_write(tracing->store, settings, err) &&
           recording_make(&tracing->recording, tracing->store, &tracing->trace, err) &&
           store_flush(tracing->store, err);
}

static void show(const struct tracing *tracing)
{
    const struct trace *trace = &tracing->trace;
    for (uint32_t i = trace->initial; i < trace->count && !interrupt_seen(); i++)
        op_line_print(trace, i, stdout);
    for (size_t i = 0; i < trace->about.notes_count; i++)
        fprintf(stderr, "brink: note: %s\n", trace->about.notes[i]);
    fprintf(stderr, "brink: ops: %" PRIu32 ", processes: %" PRIu32 ", crash points: %" PRIu32 "\n",
            trace->count - trace->initial, trace->about.processes, trace_points(trace));
}

bool verb_trace(const struct settings *settings, int *status, struct err *err)
{
    struct tracing tracing = {
        .settings = settings, .out = {.fd = OUT_CLOSED}, .temporary_fd = OUT_CLOSED};
    trace_init(&tracing.trace);
    const bool is_done = make(&tracing, err);
    if (is_done && !settings->is_quiet)
        show(&tracing);
    *status = EXIT_HELD;
    trace_fini(&tracing.trace);
    store_close(tracing.store);
    recording_fini(&tracing.recording);
    out_close(&tracing.out);
    own_fd(&tracing.temporary_fd);
    /* The janitor removes the temporary folder. */
    if (tracing.janitor != NULL)
        janitor_end(tracing.janitor);
    free(tracing.temporary);
    return is_done;
}
