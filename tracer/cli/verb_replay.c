/* verb_replay.c - brink replay: rebuild one state; recover and check it again, or look around. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counts.h"
#include "exploration.h"
#include "interrupt.h"
#include "loaded.h"
#include "standin.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/states/enumerate.h"
#include "verbs.h"

struct replay {
    const struct settings *settings;
    struct loaded loaded;
    struct janitor *janitor;
    struct standin standin;
    struct command recover, check;
    char *keep; /* absolute: the commands' directory is another one than ours */
    char *slot_dir;
    size_t state;
};

/* The path as seen from here, also after a chdir. NULL stays NULL. Caller frees. */
static char *absolute(const char *path)
{
    if (path == NULL || path[0] == '/')
        return path != NULL ? mem_string(path) : NULL;
    char *cwd = getcwd(NULL, 0);
    char *whole = mem_format("%s/%s", cwd != NULL ? cwd : ".", path);
    free(cwd);
    return whole;
}

/* --keep names a folder that is new, or empty. */
static bool make_keep(const char *path, struct err *err)
{
    if (path == NULL || mkdir(path, 0777) == 0)
        return true;
    /* rmdir succeeds on an empty directory only. */
    if (rmdir(path) == 0 && mkdir(path, 0777) == 0)
        return true;
    err_system(err, "--keep %s: make this folder", path);
    err->kind = ERR_USAGE;
    return false;
}

/* The worker's command line was the recovery when there was no other. */
static void worker_of(struct replay *replay)
{
    struct settings *kept = &replay->loaded.kept.settings;
    size_t count = 0;
    kept->rest = (const char *const *)replay->loaded.trace.about.argv;
    while (kept->rest[count] != NULL)
        count++;
    kept->rest_count = count;
}

/* A state that is not of the worker may be one of its recovery, which are a run of their own. */
static bool find_state(struct replay *replay, struct err *err)
{
    const struct settings *settings = replay->settings;
    const char *run = settings->run != NULL ? settings->run : "brink-out";
    char *deeper OWN(own_mem) = mem_format("%s/depth2", run);
    struct err ignored = {0};
    if (!loaded_open(&replay->loaded, run, err))
        return false;
    if (loaded_state(&replay->loaded, settings->rest[0], &replay->state, err))
        return true;
    if (replay->loaded.kept.settings.depth < 2)
        return false;
    loaded_fini(&replay->loaded);
    if (!loaded_open(&replay->loaded, deeper, &ignored) ||
        !loaded_state(&replay->loaded, settings->rest[0], &replay->state, &ignored))
        return false;
    *err = (struct err){0};
    return true;
}

static bool prepare(struct replay *replay, struct err *err)
{
    const struct settings *settings = replay->settings;
    if (!find_state(replay, err))
        return false;
    replay->keep = absolute(settings->keep);
    replay->slot_dir = absolute(settings->slot_dir);
    worker_of(replay);
    /* The commands were resolved where they were given. */
    if (chdir(replay->loaded.kept.cwd) != 0)
        return err_system(err, "go to the run's directory %s", replay->loaded.kept.cwd);
    return exploration_commands(&replay->loaded.kept.settings, &replay->recover, &replay->check,
                                err) &&
           janitor_start(&replay->janitor, err) &&
           standin_make(&replay->standin, replay->loaded.trace.about.workspace, replay->janitor,
                        err) &&
           make_keep(replay->keep, err);
}

static void show_state(const struct replay *replay)
{
    const struct state *state = &replay->loaded.run.states[replay->state];
    char *what OWN(own_mem) = state_describe(&replay->loaded.trace, state);
    printf("state %s, model %s: %s\n", state->id, model_name(state->model), what);
    fflush(stdout);
}

static void show_status(const char *what, int status)
{
    if (status == -1)
        return;
    if (WIFSIGNALED(status)) {
        printf("%s: ended by signal %d\n", what, WTERMSIG(status));
    } else {
        printf("%s: exit status %d\n", what, WEXITSTATUS(status));
    }
}

static void show_verdict(const struct verdict *verdict)
{
    show_status("recovery", verdict->recover_status);
    show_status("check", verdict->check_status);
    if (verdict->output != NULL && verdict->output[0] != '\0') {
        fputs("output:\n", stdout);
        fputs(verdict->output, stdout);
    }
    char *why OWN(own_mem) = text_escape(verdict->why != NULL ? verdict->why : "", SIZE_MAX);
    printf("%s%s%s\n", verdict_name(verdict->kind), why[0] != '\0' ? ": " : "", why);
}

static bool is_second(const struct replay *replay)
{
    return replay->loaded.run.states[replay->state].recovery != 0;
}

static bool run_state(struct replay *replay, int *status, struct err *err)
{
    const struct settings *settings = replay->settings;
    const struct settings *kept = &replay->loaded.kept.settings;
    const struct job_options options = {
        .trace = &replay->loaded.trace,
        .workspace = replay->loaded.trace.about.workspace,
        .recover = replay->recover.argv != NULL ? &replay->recover : NULL,
        .check = replay->check.argv != NULL ? &replay->check : NULL,
        .environment = kept->env.items,
        .repeats = is_second(replay) ? 2 : 1,
        .timeout_ns = kept->timeout_ns,
        .jobs = 1,
        .want_host_net = kept->want_host_net,
        .slot_dir = replay->slot_dir != NULL ? replay->slot_dir : kept->slot_dir,
        .janitor = replay->janitor,
        .interrupted = interrupt_flag(),
    };
    const struct replay_options how = {.want_shell = settings->want_shell,
                                       .keep_dir = replay->keep};
    struct verdict verdict = {.recover_status = -1, .check_status = -1};
    if (!settings->is_quiet)
        show_state(replay);
    if (!job_replay(&options, &replay->loaded.run.states[replay->state], &how, &verdict, err))
        return false;
    if (!settings->is_quiet && !settings->want_shell)
        show_verdict(&verdict);
    if (!settings->is_quiet && replay->keep != NULL)
        printf("the state is in %s\n", replay->keep);
    *status = counts_is_violation(verdict.kind) ? EXIT_FOUND : EXIT_HELD;
    free(verdict.output);
    free(verdict.why);
    return true;
}

bool verb_replay(const struct settings *settings, int *status, struct err *err)
{
    struct replay replay = {.settings = settings};
    trace_init(&replay.loaded.trace);
    const bool is_done = prepare(&replay, err) && run_state(&replay, status, err);
    standin_fini(&replay.standin);
    command_fini(&replay.recover);
    command_fini(&replay.check);
    loaded_fini(&replay.loaded);
    if (replay.janitor != NULL)
        janitor_end(replay.janitor);
    free(replay.keep);
    free(replay.slot_dir);
    return is_done;
}
