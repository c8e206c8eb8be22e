#include "second.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "checking.h"
#include "counts.h"
#include "interrupt.h"
#include "kept.h"
#include "outputs.h"
#include "state_folders.h"
#include "tracer/base/copy.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/findings/group_second.h"
#include "tracer/states/enumerate.h"
#include "tracer/trace/recoveries.h"

/* A recovery of so many ops, on so many states, would not fit into memory. */
enum { OPS_MAX = 4000000 };

static const char subfolder[] = "depth2";

static bool open_folder(struct second *second, const struct second_options *options,
                        struct err *err)
{
    if (mkdirat(options->out->fd, subfolder, 0777) != 0 && errno != EEXIST)
        return err_system(err, "make the folder %s", subfolder);
    const int fd = openat(options->out->fd, subfolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_system(err, "open the folder %s", subfolder);
    trace_init(&second->trace);
    second->fd = fd;
    second->name = mem_format("%s/%s", options->out_name, subfolder);
    second->run = (struct run){.trace = &second->trace, .out = second->name};
    return true;
}

/* Takes over what an interrupted run had found; *is_found false: there is no such thing yet. */
static bool resume(struct second *second, bool *is_found, struct err *err)
{
    struct err ignored = {0};
    struct store *store = NULL;
    *is_found = false;
    if (faccessat(second->fd, "run.db", F_OK, 0) != 0 ||
        !store_open(second->fd, true, &store, &ignored))
        return true;
    if (!kept_is_resumable(store, is_found, err) || !*is_found) {
        store_close(store);
        return err->kind == ERR_NONE;
    }
    second->store = store;
    if (!store_read_trace(store, &second->trace, err) || !store_read_run(store, &second->run, err))
        return false;
    outputs_forget(&second->run);
    return true;
}

/* A store whose payload begins with that of the worker's run, which the trace refers to. */
static bool begin(struct second *second, const struct second_options *options, struct err *err)
{
    int payload OWN(own_fd) = -1;
    const struct trace *worker = options->first->trace;
    const struct settings *settings = options->settings;
    memcpy(second->run.model_wanted, settings->model_wanted, sizeof settings->model_wanted);
    if (!store_create(second->fd, &second->store, err) ||
        !kept_write(second->store, settings, err) ||
        !store_payload_create(second->store, &payload, err) ||
        !store_read_trace(options->store, &second->trace, err))
        return false;
    if (worker->payload_fd >= 0 && !copy_content(worker->payload_fd, payload, "run.payload", err))
        return false;
    trace_follow_payload(&second->trace, own_take_fd(&payload));
    return true;
}

/* States of depth 1 that held: what broke already has its own finding. */
static uint32_t *held_states(const struct run *first, size_t *count)
{
    uint32_t *order = mem_new(first->states_count + 1, sizeof *order);
    *count = 0;
    for (size_t i = 0; i < first->states_count; i++) {
        if (first->verdicts[i].kind == VERDICT_HELD)
            order[(*count)++] = (uint32_t)i;
    }
    return order;
}

static void note_left_out(struct second *second, const struct job_recording *recording,
                          uint64_t not_held)
{
    if (not_held > 0) {
        outputs_note(&second->run,
                     mem_format("depth 2: %" PRIu64 " states of depth 1 did not hold; their "
                                "recovery was not explored",
                                not_held));
    }
    if (recording->unended > 0) {
        outputs_note(&second->run, mem_format("depth 2: on %" PRIu32 " states the recovery did not "
                                              "end in time while it was recorded",
                                              recording->unended));
    }
    if (recording->unbegun > 0) {
        outputs_note(&second->run,
                     mem_format("depth 2: the recovery was not recorded on the last %" PRIu32
                                " states, for there are %d ops already",
                                recording->unbegun, OPS_MAX));
    }
}

/* Whether the recovery was recorded on all states that the worker's crashes can leave. */
static bool is_whole(const struct trace *trace, const struct run *first)
{
    bool is_tried = trace->recoveries_count == first->checked;
    for (int model = 0; model < MODEL_COUNT; model++)
        is_tried = is_tried && first->models[model].tried == first->models[model].legal;
    return is_tried;
}

static bool record(struct second *second, const struct second_options *options,
                   const struct job_options *job, bool *complete, struct err *err)
{
    const struct run *first = options->first;
    size_t count = 0;
    uint32_t *order OWN(own_mem) = held_states(first, &count);
    struct job_options with = *job;
    struct job_recording recording = {
        .trace = &second->trace,
        .exclude = options->exclude,
        .want_pin = !options->settings->no_pin,
        .want_backtrace = !options->settings->no_backtrace,
        .ops_max = OPS_MAX,
    };
    with.trace = &second->trace;
    progress_note(options->progress, "depth 2: recording the recovery on each state");
    const struct job_states states = {
        .items = first->states, .order = order, .count = count, .verdicts = first->verdicts};
    recording.complete = true;
    const bool is_done = count == 0 || job_record(&with, &states, &recording, err);
    *complete = recording.complete;
    free(recording.note); /* the same as for depth 1 */
    if (!is_done)
        return false;
    note_left_out(second, &recording, first->checked - count);
    for (int model = 0; model < MODEL_COUNT; model++)
        second->run.models[model].legal_is_bound = !is_whole(&second->trace, first);
    const int fd = fcntl(second->trace.payload_fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return err_system(err, "open the payload file");
    return trace_set_payload(&second->trace, fd, err) &&
           store_write_trace(second->store, &second->trace, err);
}

/* What depth 1 has checked. Caller frees. */
static struct state *known_states(const struct run *first, size_t *count)
{
    struct state *known = mem_new(first->states_count + 1, sizeof *known);
    *count = 0;
    for (size_t i = 0; i < first->states_count; i++) {
        if (first->verdicts[i].kind != VERDICT_NONE)
            known[(*count)++] = first->states[i];
    }
    return known;
}

static void take_states(struct run *run, const struct enumerated *found)
{
    run->states = found->states;
    run->states_count = found->count;
    run->verdicts = mem_new(found->count + 1, sizeof *run->verdicts);
    for (size_t i = 0; i < found->count; i++)
        run->verdicts[i] = (struct verdict){.state = (uint32_t)i};
    for (int model = 0; model < MODEL_COUNT; model++) {
        const bool is_bound = run->models[model].legal_is_bound;
        run->models[model] = found->counts[model];
        run->models[model].legal_is_bound = is_bound;
    }
}

static bool enumerate_recoveries(struct second *second, const struct second_options *options,
                                 struct err *err)
{
    const struct settings *settings = options->settings;
    struct run *run = &second->run;
    struct enumerated found = {0};
    size_t known_count = 0;
    struct state *known OWN(own_mem) = known_states(options->first, &known_count);
    struct enumerate_options how = {
        .budget = settings->budget,
        .shards = 1,
        .interrupted = interrupt_flag(),
        .want_recoveries = true,
        .known = known,
        .known_count = known_count,
    };
    memcpy(how.wanted, settings->model_wanted, sizeof how.wanted);
    progress_note(options->progress, "depth 2: working out the crash states of the recoveries");
    if (!enumerate(&second->trace, &how, &found, err))
        return false;
    take_states(run, &found);
    run->recover = settings->recover != NULL ? mem_string(settings->recover) : NULL;
    run->check = settings->check != NULL ? mem_string(settings->check) : NULL;
    return store_write_states(second->store, run->states, run->states_count, err) &&
           store_write_run(second->store, run, err) && kept_set_resumable(second->store, err) &&
           store_flush(second->store, err);
}

/* From here on the states are there, or *complete is false. */
static bool prepare(struct second *second, const struct second_options *options,
                    const struct job_options *job, bool *complete, struct err *err)
{
    bool is_found = false;
    *complete = true;
    if (!open_folder(second, options, err) ||
        (options->is_resumed && !resume(second, &is_found, err)))
        return false;
    if (is_found)
        return true;
    if (!begin(second, options, err) || !record(second, options, job, complete, err))
        return false;
    *complete = *complete && !interrupt_seen();
    return !*complete || enumerate_recoveries(second, options, err);
}

bool second_explore(struct second *second, const struct second_options *options,
                    const struct job_options *job, struct err *err)
{
    bool is_complete = false;
    counts_fill(options->first);
    if (!prepare(second, options, job, &is_complete, err))
        return false;
    if (!is_complete) {
        second->run.complete = false;
        return true;
    }
    struct job_options with = *job;
    struct checking checking = {.run = &second->run,
                                .store = second->store,
                                .progress = options->progress,
                                .is_quiet = options->settings->is_quiet};
    with.trace = &second->trace;
    with.repeats = 2;
    return checking_run(&checking, &with, err);
}

bool second_conclude(struct second *second, struct run *first, struct err *err)
{
    struct run *run = &second->run;
    char *note = NULL;
    if (second->fd < 0)
        return true;
    counts_fill(run);
    first->second = run;
    if (!group_second(first, err) || !state_folders_write(run, second->fd, &note, err))
        return false;
    if (note != NULL)
        outputs_note(run, note);
    for (size_t i = 0; i < run->notes_count; i++)
        outputs_note(first, mem_string(run->notes[i]));
    return store_write_run(second->store, run, err) && store_flush(second->store, err);
}

void second_fini(struct second *second)
{
    if (second->fd < 0)
        return;
    run_fini(&second->run);
    trace_fini(&second->trace);
    store_close(second->store);
    own_close_now(&second->fd);
    free(second->name);
    *second = (struct second){.fd = -1};
}
