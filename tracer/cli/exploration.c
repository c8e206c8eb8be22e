#include "exploration.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "checking.h"
#include "counts.h"
#include "interrupt.h"
#include "kept.h"
#include "outputs.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/findings/group.h"
#include "tracer/runner/verify.h"
#include "tracer/states/enumerate.h"

static const char out_default[] = "brink-out";

void exploration_init(struct exploration *exploration, const struct settings *settings)
{
    *exploration = (struct exploration){
        .settings = settings,
        .begun_ns = clock_now(),
        .out = {.fd = OUT_CLOSED},
        .second = {.fd = -1},
        .out_name = settings->out != NULL ? settings->out : out_default,
    };
    trace_init(&exploration->trace);
    exploration->run.trace = &exploration->trace;
    exploration->run.out = exploration->out_name;
}

void exploration_fini(struct exploration *exploration)
{
    progress_end(&exploration->progress);
    second_fini(&exploration->second);
    run_fini(&exploration->run);
    trace_fini(&exploration->trace);
    store_close(exploration->store);
    recording_fini(&exploration->recording);
    command_fini(&exploration->recover);
    command_fini(&exploration->check);
    out_close(&exploration->out);
    standin_fini(&exploration->standin);
    if (exploration->janitor != NULL)
        janitor_end(exploration->janitor);
    exploration_init(exploration, exploration->settings);
}

static void note_progress(struct exploration *exploration, const char *what)
{
    char *worker OWN(own_mem) = text_escape(exploration->settings->rest[0], SIZE_MAX);
    char *line OWN(own_mem) = mem_format("%s %s", what, worker);
    progress_note(&exploration->progress, line);
}

bool exploration_commands(const struct settings *settings, struct command *recover,
                          struct command *check, struct err *err)
{
    if (settings->check != NULL && !command_parse(settings->check, check, err))
        return err_while(err, "--check");
    if (settings->recover != NULL)
        return command_parse(settings->recover, recover, err) || err_while(err, "--recover");
    return settings->check != NULL || command_of_words(settings->rest, recover, err);
}

/* Tells a resumed run from another one, and takes over its trace and verdicts. A run that ended
 * before its trace was whole is begun anew. */
static bool resume(struct exploration *exploration, struct err *err)
{
    struct store *store = NULL;
    char *difference OWN(own_mem) = NULL;
    bool is_resumable = false;
    if (!store_open(exploration->out.fd, true, &store, err))
        return err_while(err, "--resume");
    exploration->store = store;
    if (!kept_is_resumable(store, &is_resumable, err))
        return false;
    if (!is_resumable) {
        store_close(store);
        exploration->store = NULL;
        return true;
    }
    if (!kept_compare(store, exploration->settings, &difference, err))
        return false;
    if (difference != NULL) {
        return err_usage(err, "--resume: the run in %s is another one: %s", exploration->out_name,
                         difference);
    }
    exploration->is_resumed = true;
    if (!recording_read_without(&exploration->recording.without, err) ||
        !store_read_trace(store, &exploration->trace, err) ||
        !store_read_run(store, &exploration->run, err))
        return false;
    outputs_forget(&exploration->run);
    return standin_make(&exploration->standin, exploration->trace.about.workspace,
                        exploration->janitor, err);
}

static bool record_run(struct exploration *exploration, struct err *err)
{
    const struct settings *settings = exploration->settings;
    if (!recording_prepare(&exploration->recording, settings, exploration->janitor,
                           &exploration->out, err) ||
        !out_clear(&exploration->out, err) ||
        !store_create(exploration->out.fd, &exploration->store, err))
        return false;
    note_progress(exploration, "recording");
    /* The worker may write to the terminal that the note stands on. */
    progress_end(&exploration->progress);
    return kept_write(exploration->store, settings, err) &&
           recording_make(&exploration->recording, exploration->store, &exploration->trace, err);
}

static bool open_input(void *context, int *fd, struct err *err)
{
    return input_begin(context, fd, err);
}

static void close_input(void *context, int fd)
{
    input_end(context, fd);
}

static uint64_t draw_seed(const struct settings *settings)
{
    uint32_t seed = 0;
    if (settings->has_seed)
        return settings->seed;
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = (uint32_t)clock_date();
    return seed;
}

static bool verify_run(struct exploration *exploration, struct err *err)
{
    struct recording *recording = &exploration->recording;
    const struct verify_options options = {
        .trace = &exploration->trace,
        .record = recording_options(recording),
        .input = {.open = open_input, .close = close_input, .context = recording->input},
        .initial = workspace_pristine(recording->workspace),
        .temporary = workspace_temporary(recording->workspace),
        .points = (uint32_t)exploration->settings->verify,
        .seed = draw_seed(exploration->settings),
    };
    struct verified *verified = &exploration->run.verified;
    /* Each kill needs a copy of its own at the workspace's path. */
    if (workspace_copy_fd(recording->workspace) < 0) {
        snprintf(verified->skipped, sizeof verified->skipped,
                 "nothing can be mounted on this machine; see brink doctor");
        return true;
    }
    note_progress(exploration, "verifying by real kills of");
    if (!verify(&options, verified, err))
        return false;
    if (verified->tried == 0 && verified->skipped[0] == '\0') {
        snprintf(verified->skipped, sizeof verified->skipped, "%s",
                 options.points == 0 ? "--verify 0 was given"
                                     : "the worker did nothing at which it could be killed");
    }
    return true;
}

/* What was found out about the run before any state was checked is stored at once, so that a brink
 * that is killed from here on can be resumed. */
static bool store_beginning(struct exploration *exploration, struct err *err)
{
    struct run *run = &exploration->run;
    return store_write_states(exploration->store, run->states, run->states_count, err) &&
           store_write_run(exploration->store, run, err) &&
           kept_set_resumable(exploration->store, err) && store_flush(exploration->store, err);
}

static bool enumerate_run(struct exploration *exploration, struct err *err)
{
    const struct settings *settings = exploration->settings;
    struct run *run = &exploration->run;
    struct enumerated found = {0};
    struct enumerate_options options = {
        .budget = settings->budget,
        .shard = settings->shard,
        .shards = settings->shards,
        .interrupted = interrupt_flag(),
    };
    memcpy(options.wanted, settings->model_wanted, sizeof options.wanted);
    memcpy(run->model_wanted, settings->model_wanted, sizeof run->model_wanted);
    note_progress(exploration, "working out the crash states of");
    if (!enumerate(&exploration->trace, &options, &found, err))
        return false;
    run->states = found.states;
    run->states_count = found.count;
    run->verdicts = mem_new(found.count + 1, sizeof *run->verdicts);
    memcpy(run->models, found.counts, sizeof run->models);
    for (size_t i = 0; i < found.count; i++)
        run->verdicts[i] = (struct verdict){.state = (uint32_t)i};
    return true;
}

/* From here on the trace is there, and which states it has. */
static bool prepare_states(struct exploration *exploration, struct err *err)
{
    struct run *run = &exploration->run;
    if (!exploration->is_resumed &&
        (!record_run(exploration, err) || !verify_run(exploration, err) ||
         !enumerate_run(exploration, err)))
        return false;
    if (interrupt_seen())
        return err_harness(err, "interrupted before any state was checked");
    if (exploration->is_resumed)
        return true;
    run->recover =
        exploration->settings->recover != NULL ? mem_string(exploration->settings->recover) : NULL;
    run->check =
        exploration->settings->check != NULL ? mem_string(exploration->settings->check) : NULL;
    return store_beginning(exploration, err);
}

static uint32_t count_jobs(const struct settings *settings)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (settings->jobs > 0)
        return (uint32_t)settings->jobs;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0)
        return 1;
    return (uint32_t)CPU_COUNT(&processors);
}

static struct job_options job_options_of(struct exploration *exploration)
{
    const struct settings *settings = exploration->settings;
    return (struct job_options){
        .trace = &exploration->trace,
        .workspace = exploration->trace.about.workspace,
        .recover = exploration->recover.argv != NULL ? &exploration->recover : NULL,
        .check = exploration->check.argv != NULL ? &exploration->check : NULL,
        .environment = settings->env.items,
        .timeout_ns = settings->timeout_ns,
        .jobs = count_jobs(settings),
        .want_host_net = settings->want_host_net,
        .slot_dir = settings->slot_dir,
        .without = exploration->recording.without,
        .deadline = settings->max_time_ns > 0 ? exploration->begun_ns + settings->max_time_ns : 0,
        .janitor = exploration->janitor,
        .interrupted = interrupt_flag(),
    };
}

static bool check_states(struct exploration *exploration, struct err *err)
{
    struct run *run = &exploration->run;
    const struct job_options options = job_options_of(exploration);
    struct checking checking = {.run = run,
                                .store = exploration->store,
                                .progress = &exploration->progress,
                                .is_quiet = exploration->settings->is_quiet};
    if (options.check != NULL && run->canary == CANARY_OFF &&
        !job_canary(&options, &run->canary, err))
        return false;
    if (checking_run(&checking, &options, err))
        return true;
    if (checking.is_store_at_fault)
        err_while(err, "keep the verdicts in %s", exploration->out_name);
    return false;
}

/* Recovery is a worker too: its own crashes, where that is wanted and depth 1 is done. */
static bool go_deeper(struct exploration *exploration, struct err *err)
{
    const struct settings *settings = exploration->settings;
    struct run *run = &exploration->run;
    const struct job_options options = job_options_of(exploration);
    const struct second_options second = {
        .settings = settings,
        .first = run,
        .store = exploration->store,
        .out = &exploration->out,
        .out_name = exploration->out_name,
        .exclude = exploration->is_resumed ? settings->exclude.items
                                           : (const char *const *)exploration->recording.exclude,
        .progress = &exploration->progress,
        .is_resumed = exploration->is_resumed,
    };
    if (settings->depth < 2)
        return true;
    if (!run->complete) {
        outputs_note(run, mem_string("depth 2 was not begun: there are states of depth 1 that are "
                                     "not checked yet"));
        return true;
    }
    return second_explore(&exploration->second, &second, &options, err) ||
           err_while(err, "depth 2");
}

static bool has_ended_early(const struct run *run)
{
    return !run->complete || (run->second != NULL && !run->second->complete);
}

static bool conclude(struct exploration *exploration, struct err *err)
{
    struct run *run = &exploration->run;
    counts_fill(run);
    group_findings(run);
    if (!second_conclude(&exploration->second, run, err))
        return err_while(err, "depth 2");
    /* A resumed run goes on from the time that it had taken before. */
    run->elapsed_ns += clock_now() - exploration->begun_ns;
    if (!outputs_write(run, exploration->out.fd, err) ||
        !store_write_run(exploration->store, run, err) || !store_flush(exploration->store, err))
        return err_while(err, "write the reports into %s", exploration->out_name);
    if (!exploration->settings->is_quiet && !outputs_show(run, stderr, err))
        return false;
    if (has_ended_early(run) && interrupt_seen()) {
        const size_t more = run->second != NULL ? run->second->states_count : 0;
        return err_harness(err,
                           "interrupted: %" PRIu64 " of %zu states are checked; go on with "
                           "--resume",
                           run_checked(run), run->states_count + more);
    }
    return true;
}

static bool is_depth_possible(const struct settings *settings, struct err *err)
{
    if (settings->depth < 2)
        return true;
    if (settings->recover == NULL && settings->check != NULL)
        return err_usage(err, "--depth 2: there is no recovery to be killed; give --recover");
    return settings->shards < 2 ||
           err_usage(err, "--depth 2: not together with --shard in this version");
}

bool exploration_run(struct exploration *exploration, struct err *err)
{
    const struct settings *settings = exploration->settings;
    const struct out_options out_options = {.is_forced = settings->is_forced,
                                            .want_run = settings->want_resume};
    progress_begin(&exploration->progress, stderr, settings->is_quiet, 0);
    if (!is_depth_possible(settings, err) ||
        !exploration_commands(settings, &exploration->recover, &exploration->check, err) ||
        !janitor_start(&exploration->janitor, err) ||
        !out_open(exploration->out_name, &out_options, &exploration->out, err))
        return false;
    if (settings->want_resume && !resume(exploration, err))
        return false;
    return prepare_states(exploration, err) && check_states(exploration, err) &&
           go_deeper(exploration, err) && conclude(exploration, err);
}
