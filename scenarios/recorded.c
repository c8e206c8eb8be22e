#include "recorded.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crowd.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/ptrace/record.h"
#include "tracer/states/owner_death.h"
#include "tracer/trace/barrier_matcher.h"
#include "tracer/trace/snapshot.h"

/* What recording one program needs, beside the trace that stays. */
struct recording {
    const struct recorded_options *options;
    struct trace trace;
    struct trace_writer writer;
    struct snapshot_items items;
    struct crowd crowd;
    char **additions;
    int dir_fd, in, out, error;
    enum record_end end;
    struct record_halted halted;
};

static bool open_streams(struct recording *recording, struct err *err)
{
    const struct child_options *child = &recording->options->child;
    recording->dir_fd = open(child->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (recording->dir_fd < 0)
        return err_system(err, "open the workspace %s", child->dir);
    return child_input(child->command, &recording->in, err) &&
           child_stream("stdout", &recording->out, err) &&
           child_stream("stderr", &recording->error, err);
}

/* What is in the workspace already. */
static bool read_initial(struct recording *recording, struct err *err)
{
    const int payload = memfd_create("payload", MFD_CLOEXEC);
    if (payload < 0)
        return err_system(err, "make a file for the trace");
    trace_writer_init(&recording->writer, &recording->trace, payload);
    const struct snapshot_options options = {.dir = NODE_ROOT, .prefix = ""};
    if (!snapshot_read(&recording->writer, recording->dir_fd, &options, &recording->items, err))
        return false;
    recording->trace.initial = recording->trace.count;
    return true;
}

/* The worker inherits our descriptors 1 and 2, so they are its streams meanwhile. */
static bool record_with_streams(struct recording *recording, const struct record_options *options,
                                struct err *err)
{
    const int kept_out OWN(own_fd) = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int kept_error OWN(own_fd) = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (kept_out < 0 || kept_error < 0 || dup2(recording->out, STDOUT_FILENO) < 0 ||
        dup2(recording->error, STDERR_FILENO) < 0)
        return err_system(err, "set the worker's streams");
    const bool is_done =
        record(options, &recording->items, &recording->writer, &recording->end, err);
    dup2(kept_out, STDOUT_FILENO);
    dup2(kept_error, STDERR_FILENO);
    return is_done;
}

static bool run(struct recording *recording, struct err *err)
{
    const struct child_options *child = &recording->options->child;
    const struct plan_barrier *crash = recording->options->crash;
    const struct record_locks locks = {recording->options->order, recording->options->count,
                                       recording->options->also};
    const struct record_options options = {
        .argv = recording->crowd.argv,
        .workspace = child->dir,
        .copy_fd = -1,
        .environment = (const char *const *)recording->additions,
        .stdin_fd = recording->in,
        .want_output = true,
        .want_pin = true,
        .want_exits = crash != NULL,
        .barrier = crash ? &crash->barrier : NULL,
        .halted = &recording->halted,
        .locks = locks.order ? &locks : NULL,
        .timeout_ns = child->command->timeout_ns,
    };
    return record_with_streams(recording, &options, err) &&
           trace_writer_finish(&recording->writer, err);
}

static bool check_trace_is_true(const struct recording *recording, struct err *err)
{
    struct tree *tree = tree_new(&recording->trace);
    char *difference OWN(own_mem) = NULL;
    bool is_done = true;
    for (uint32_t i = 0; is_done && i < recording->trace.count; i++)
        is_done = tree_apply(tree, &recording->trace.ops[i], err);
    if (is_done && recording->end == RECORD_HALTED)
        is_done = owner_death_apply(tree, &recording->trace, recording->trace.count, err);
    is_done = is_done && snapshot_compare(tree, recording->dir_fd, NULL, &difference, err);
    tree_free(tree);
    if (!is_done || !difference)
        return is_done || err_while(err, "self-check of the recording");
    char *shown OWN(own_mem) = text_escape(difference, SIZE_MAX);
    return err_harness(err, "self-check: the trace of %s does not lead to what it left: %s",
                       recording->options->child.name, shown);
}

static void fini(struct recording *recording)
{
    trace_writer_fini(&recording->writer);
    trace_fini(&recording->trace);
    free(recording->items.items);
    crowd_fini(&recording->crowd);
    child_free_words(recording->additions);
    own_fd(&recording->dir_fd);
    own_fd(&recording->in);
    own_fd(&recording->out);
    own_fd(&recording->error);
}

/* Moves the results out. */
static bool take(struct recording *recording, struct ended *out, struct err *err)
{
    const struct trace *trace = &recording->trace;
    struct ended ended = {.is_set = true,
                          .has_timed_out = recording->end == RECORD_TIMED_OUT,
                          .pid = (pid_t)trace->threads[0].pid,
                          .status = trace->about.wait_status};
    if (!ended_take_text(recording->out, &ended.out, err) ||
        !ended_take_text(recording->error, &ended.error, err)) {
        ended_fini(&ended);
        return false;
    }
    if (recording->options->crash) {
        ended.pid = recording->halted.pid;
        ended.status = recording->halted.status;
    }
    ended.trace = *trace;
    ended.has_trace = true;
    trace_init(&recording->trace);
    ended_fini(out);
    *out = ended;
    return true;
}

/* Halted where it should be, at the time that was named, by the death that was named. */
static bool check_halt(const struct recording *recording, struct err *err)
{
    const struct plan_barrier *crash = recording->options->crash;
    const struct record_halted *halted = &recording->halted;
    if (recording->end == RECORD_TIMED_OUT)
        return err_harness(err, "barrier %s was not reached in time", crash->name);
    if (recording->end != RECORD_HALTED) {
        const struct ended ended = {.status = recording->trace.about.wait_status};
        char *words OWN(own_mem) = ended_words(&ended);
        return err_harness(err, "barrier %s was never reached (%s); it ended with %s", crash->name,
                           crash->words, words);
    }
    if (halted->reached != crash->barrier.nth) {
        return err_harness(err, "barrier %s was reached %llu times, not %llu: %s", crash->name,
                           (unsigned long long)halted->reached,
                           (unsigned long long)crash->barrier.nth, crash->words);
    }
    return true;
}

static bool conclude(struct recording *recording, struct ended *out, struct err *err)
{
    if (recording->options->crash && !check_halt(recording, err))
        return false;
    if (recording->options->want_check && !check_trace_is_true(recording, err))
        return false;
    return take(recording, out, err);
}

bool recorded_run(const struct recorded_options *options, struct ended *out, struct err *err)
{
    struct recording recording = {
        .options = options, .dir_fd = -1, .in = -1, .out = -1, .error = -1};
    trace_init(&recording.trace);
    crowd_init(&recording.crowd, options->child.command->argv, options->count);
    recording.additions = child_additions(&options->child);
    const bool is_done = open_streams(&recording, err) && read_initial(&recording, err) &&
                         run(&recording, err) && conclude(&recording, out, err);
    fini(&recording);
    return is_done || err_while(err, "%s", options->child.name);
}

/* The processes that the first one started itself, each with its last op. */
static bool is_started_end(const struct trace *trace, const struct op *op)
{
    const struct trace_thread *thread = &trace->threads[op->thread];
    return op->kind == OP_EXIT && thread->is_main && op->thread != 0 && thread->parent == 0;
}

char *recorded_ends(const struct ended *ended)
{
    const struct trace *trace = &ended->trace;
    char *text = mem_string("");
    uint8_t *seen OWN(own_mem) = mem_new(trace->count + 1, 1);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct op *op = &trace->ops[i];
        unsigned count = 0;
        for (uint32_t k = i; !seen[i] && is_started_end(trace, op) && k < trace->count; k++) {
            if (!is_started_end(trace, &trace->ops[k]) || trace->ops[k].size != op->size)
                continue;
            seen[k] = k > i;
            count++;
        }
        if (count == 0)
            continue;
        const struct ended one = {.status = (int)op->size};
        char *words OWN(own_mem) = ended_words(&one);
        char *longer = mem_format("%s%s%u x %s", text, *text ? ", " : "", count, words);
        free(text);
        text = longer;
    }
    return text;
}

/* Which of the started processes, from 1, a thread belongs to; 0: to the first one. */
static uint32_t started_number(const struct trace *trace, uint32_t thread)
{
    uint32_t number = 0;
    while (thread != 0 && trace->threads[thread].parent != 0)
        thread = trace->threads[thread].parent;
    for (uint32_t i = 1; i <= thread; i++)
        number += trace->threads[i].parent == 0;
    return number;
}

bool recorded_lock_order(const struct ended *ended, const struct barrier *also, char **out,
                         struct err *err)
{
    const struct trace *trace = &ended->trace;
    uint32_t *met OWN(own_mem) = NULL;
    size_t met_count = 0;
    size_t next = 0;
    if (also && !barrier_find(also, trace, &met, &met_count, err))
        return false;
    char *text = mem_string("");
    bool *seen OWN(own_mem) = mem_new(trace->threads_count + 1, sizeof *seen);
    for (uint32_t i = trace->initial; i < trace->count; i++) {
        const uint32_t number = started_number(trace, trace->ops[i].thread);
        const bool is_met = next < met_count && met[next] == i;
        next += is_met;
        if ((trace->ops[i].kind != OP_LOCK && !is_met) || number == 0 || seen[number])
            continue;
        seen[number] = true;
        char *longer = mem_format("%s%s%u", text, *text ? " " : "", number);
        free(text);
        text = longer;
    }
    *out = text;
    return true;
}
