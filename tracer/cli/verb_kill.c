/* verb_kill.c - brink kill: halt the worker at one barrier, for real, and leave the workspace. */
#include <stdlib.h>

#include "killing.h"
#include "staging.h"
#include "tracer/base/mem.h"
#include "tracer/runner/command.h"
#include "verbs.h"

static bool fill_and_run(const struct killing *killing, int *status, struct err *err)
{
    bool has_run = false;
    const bool is_done = killing_fill(killing, err) && killing_run(killing, &has_run, status, err);
    if (!has_run)
        killing_drop_dir(killing->settings, killing->dir);
    return is_done;
}

static bool kill_worker(const struct settings *settings, int *status, struct err *err)
{
    struct barrier barrier = {0};
    struct command worker = {0};
    char *dir = NULL;
    if (settings->only != NULL)
        return err_usage(err, "--only: chooses a case of --scenario");
    if (settings->at == NULL)
        return err_usage(err, "brink kill: --at says where; for example --at 'write path=*.log'");
    if (!barrier_parse(settings->at, &barrier, err))
        return err_while(err, "--at");
    bool is_done =
        command_of_words(settings->rest, &worker, err) && killing_find_dir(settings, &dir, err);
    if (is_done) {
        const struct killing killing = {
            .settings = settings,
            .barrier = &barrier,
            .argv = (const char *const *)worker.argv,
            .environment = settings->env.items,
            .init = settings->init,
            .setup = settings->setup,
            .dir = dir,
            .timeout_ns = settings->timeout_ns,
        };
        is_done = fill_and_run(&killing, status, err);
    }
    free(dir);
    command_fini(&worker);
    barrier_fini(&barrier);
    return is_done;
}

bool verb_kill(const struct settings *settings, int *status, struct err *err)
{
    return settings->scenario != NULL ? staging_kill(settings, status, err)
                                      : kill_worker(settings, status, err);
}
