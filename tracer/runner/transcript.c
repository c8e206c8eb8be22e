#include "transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "pids.h"
#include "tracer/base/log.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/ptrace/record.h"
#include "tracer/states/footing.h"
#include "tracer/trace/recoveries.h"

static void own_trace(struct trace *trace)
{
    trace_fini(trace);
}

static void own_items(struct snapshot_items *items)
{
    free(items->items);
}

static void own_writer(struct trace_writer *writer)
{
    trace_writer_fini(writer);
}

static struct record_options how_to_record(const struct transcript *transcript, bool want_exits)
{
    const struct attempt *attempt = transcript->attempt;
    const struct job_options *options = attempt->options;
    char **environment = attempt->launcher->environment;
    return (struct record_options){
        .argv = (const char *const *)options->recover->argv,
        .workspace = options->workspace,
        .copy_fd = -1,
        .environment = (const char *const *)environment,
        .exclude = transcript->recording->exclude,
        .stdin_fd = attempt->launcher->null_fd,
        .want_pin = transcript->recording->want_pin,
        .want_backtrace = transcript->recording->want_backtrace,
        .want_exits = want_exits,
        .without = options->without,
        .timeout_ns = options->timeout_ns,
        .interrupted = transcript->interrupted,
    };
}

static bool run_recovery(const struct attempt *attempt, const struct record_options *options,
                         struct trace_writer *writer, enum record_end *end, struct err *err)
{
    struct snapshot_items items OWN(own_items) = {0};
    footing_write(attempt->disk, writer, &items);
    writer->trace->initial = writer->trace->count;
    pids_set(attempt->pids_fd, attempt->pid_base);
    /* New credentials, which a slot has, make a process unreadable until it execs. */
    prctl(PR_SET_DUMPABLE, 1);
    const bool is_done = record(options, &items, writer, end, err);
    launch_kill_rest(attempt->launcher);
    return is_done;
}

/* One recording, into a trace of its own whose bytes follow those that are there already. */
static bool record_once(const struct transcript *transcript, bool want_exits, struct trace *out,
                        enum record_end *end, struct err *err)
{
    const struct trace *trace = transcript->recording->trace;
    struct trace_writer writer OWN(own_writer) = {.fd = -1};
    const struct record_options options = how_to_record(transcript, want_exits);
    const int fd = fcntl(trace->payload_fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return err_system(err, "open the payload file");
    out->nodes = transcript->recording->nodes_before;
    out->payload_size = trace->payload_size;
    trace_writer_init(&writer, out, fd);
    return run_recovery(transcript->attempt, &options, &writer, end, err) &&
           trace_writer_finish(&writer, err);
}

/* *difference: between what the ops give and what the recovery left; NULL when there is none. */
static bool self_check(const struct transcript *transcript, char **difference, struct err *err)
{
    const struct trace *trace = transcript->recording->trace;
    const struct trace recovered = recoveries_trace(trace, trace->recoveries_count - 1);
    struct tree *tree = walker_tree(transcript->walker);
    struct err misfit = {0};
    bool is_done = true;
    tree_mark(tree);
    for (uint32_t i = 0; misfit.kind == ERR_NONE && i < recovered.count; i++) {
        if (!tree_apply(tree, &recovered.ops[i], &misfit))
            *difference = text_escape(misfit.text, SIZE_MAX);
    }
    if (misfit.kind == ERR_NONE) {
        is_done = snapshot_compare(tree, transcript->attempt->dir_fd,
                                   transcript->recording->exclude, difference, err);
    }
    tree_undo(tree);
    return is_done || err_while(err, "self-check of the recovery's recording");
}

static bool has_stores(const struct trace *recorded)
{
    for (uint32_t i = recorded->initial; i < recorded->count; i++) {
        if (recorded->ops[i].kind == OP_STORE)
            return true;
    }
    return false;
}

/* Whether the directory may hold changes that no time of a file tells of. */
static bool put_back(struct attempt *attempt, const struct trace *recorded, struct err *err)
{
    return disk_restore(attempt->disk, has_stores(recorded), NULL, err);
}

/* Adds the recording to the slot's trace and holds it against the directory, which is put back.
 * What does not fit is taken out again, and *difference says why. */
static bool add_checked(const struct transcript *transcript, const struct trace *recorded,
                        const struct trace_recovery *about, char **difference, struct err *err)
{
    struct trace *trace = transcript->recording->trace;
    recoveries_add(trace, recorded, transcript->recording->nodes_before, about);
    if (!self_check(transcript, difference, err))
        return false;
    if (*difference != NULL)
        recoveries_drop_last(trace);
    return put_back(transcript->attempt, recorded, err);
}

struct taken {
    enum record_end end;
    char *difference; /* the caller frees it */
    char *bytes;
    size_t size;
};

static bool take_once(const struct transcript *transcript, const struct trace_recovery *about,
                      bool want_exits, struct taken *out, struct err *err)
{
    struct trace recorded OWN(own_trace);
    trace_init(&recorded);
    if (!record_once(transcript, want_exits, &recorded, &out->end, err))
        return false;
    if (out->end != RECORD_ENDED)
        return put_back(transcript->attempt, &recorded, err);
    if (!add_checked(transcript, &recorded, about, &out->difference, err))
        return false;
    if (out->difference == NULL)
        out->bytes = recoveries_pack(&recorded, &out->size);
    return true;
}

static bool refuse(const char *difference, struct err *err)
{
    return err_harness(err,
                       "self-check: the recovery's recording does not lead to the workspace that "
                       "it left: %.300s; an incomplete trace is not explored",
                       difference);
}

bool transcript_take(struct transcript *transcript, const struct trace_recovery *about,
                     struct mail *out, bool *is_cancelled, struct err *err)
{
    const struct trace_promised promised = {about->acked_bytes, about->sent_messages};
    struct taken taken = {.end = RECORD_ENDED};
    *out = (struct mail){.kind = MAIL_RECORDED, .state = about->state};
    if (transcript->recording->trace->recovery_ops_count >= transcript->recording->ops_max)
        return true;
    if (!promises_set(transcript->attempt->promises, &promised, true, err) ||
        !take_once(transcript, about, false, &taken, err))
        return false;
    if (taken.difference != NULL) { /* what a write was asked to do may not be what it did */
        char *text OWN(own_mem) = taken.difference;
        taken.difference = NULL;
        LOG(INFO, "recovery recorded again with all exits: %s", text);
        if (!take_once(transcript, about, true, &taken, err))
            return false;
    }
    char *difference OWN(own_mem) = taken.difference;
    if (difference != NULL)
        return refuse(difference, err);
    *is_cancelled = taken.end == RECORD_INTERRUPTED;
    out->is_unended = taken.end == RECORD_TIMED_OUT;
    out->bytes = taken.bytes;
    out->size = taken.size;
    return true;
}
