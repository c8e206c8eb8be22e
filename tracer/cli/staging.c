#include "staging.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interrupt.h"
#include "killing.h"
#include "scenarios/cell.h"
#include "scenarios/crowd.h"
#include "scenarios/lock_order.h"
#include "scenarios/services.h"
#include "scenarios/suite.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/runner/janitor.h"
#include "tracer/runner/place.h"
#include "tracer/runner/temporary.h"

struct staging {
    const struct settings *settings;
    struct suite suite;
    const struct suite_case *suite_case;
    struct janitor *janitor;
    char *dir;    /* workspace */
    char *folder; /* for the services, and gone afterwards */
    bool want_isolation;
};

/* What the process in the surroundings has to say at its end. */
struct staging_end {
    bool is_done, has_run;
    int status;
    struct err err;
};

static bool find_case(struct staging *staging, struct err *err)
{
    const struct settings *settings = staging->settings;
    if (!suite_add(&staging->suite, settings->scenario, err))
        return err_while(err, "--scenario");
    if (!suite_only(&staging->suite, settings->only, err))
        return false;
    staging->suite_case = &staging->suite.cases[0];
    const size_t count = staging->suite.count;
    const size_t runs = staging->suite_case->runs;
    char *label OWN(own_mem) = suite_run_label(staging->suite_case, 0);
    if ((count > 1 || runs > 1) && !settings->is_quiet) {
        fprintf(stderr, "brink: note: %s%s, the first of %zu %s\n", staging->suite_case->name,
                label, count > 1 ? count : runs,
                count > 1 ? "cases; --only chooses another" : "runs");
    }
    return true;
}

static char *names_of(const struct plan *plan)
{
    char *names = mem_string("");
    for (size_t i = 0; i < plan->barriers_count; i++) {
        char *longer = mem_format("%s%s%s", names, i > 0 ? ", " : "", plan->barriers[i].name);
        free(names);
        names = longer;
    }
    return names;
}

/* Without --at: where the scenario itself would halt. */
static bool find_barrier(const struct staging *staging, const struct plan *plan,
                         const struct plan_barrier **out, struct err *err)
{
    const char *name = staging->settings->at;
    const char *file = staging->settings->scenario;
    *out = name == NULL ? plan->crash : NULL;
    for (size_t i = 0; i < plan->barriers_count && name != NULL; i++) {
        if (strcmp(plan->barriers[i].name, name) == 0)
            *out = &plan->barriers[i];
    }
    if (plan->worker.command.argv == NULL)
        return err_usage(err, "--scenario %s: has no worker to kill", file);
    if (*out != NULL)
        return true;
    char *names OWN(own_mem) = names_of(plan);
    if (*names == '\0')
        return err_usage(err, "--scenario %s: names no barriers", file);
    if (name == NULL)
        return err_usage(err, "brink kill: --at says at which of the barriers: %.300s", names);
    return err_usage(err, "--at %.60s: there is no such barrier in %s; there are %.300s", name,
                     file, names);
}

/* What only the place of the run decides does not matter for the name of a barrier. */
static bool check_barrier(const struct staging *staging, struct err *err)
{
    const struct suite_place place = {.dir = "/", .state = "/", .kept = "/", .port = 1};
    const struct plan_barrier *barrier = NULL;
    struct plan plan;
    if (!suite_plan(staging->suite_case, 0, &place, &plan, err))
        return false;
    const bool is_done = find_barrier(staging, &plan, &barrier, err);
    plan_fini(&plan);
    return is_done;
}

static bool prepare(struct staging *staging, struct err *err)
{
    struct err why = {0};
    char *parent OWN(own_mem) = NULL;
    if (!find_case(staging, err) || !check_barrier(staging, err))
        return false;
    staging->want_isolation = place_is_possible(&why);
    if (!staging->want_isolation) {
        fprintf(stderr, "brink: note: no namespaces (%s): on the machine's own network\n",
                why.text);
    }
    return janitor_start(&staging->janitor, err) && temporary_parent(NULL, &parent, err) &&
           janitor_folder(staging->janitor, parent, &staging->folder, err) &&
           killing_find_dir(staging->settings, &staging->dir, err);
}

/* The worker's own additions, and those of the command line. */
static struct words environment_of(const struct staging *staging, char *const *additions)
{
    const struct words *given = &staging->settings->env;
    struct words words = {0};
    for (size_t i = 0; additions[i] != NULL; i++)
        words_add(&words, additions[i]);
    for (size_t i = 0; i < given->count; i++)
        words_add(&words, given->items[i]);
    return words;
}

static bool run_worker(const struct staging *staging, const struct plan *plan,
                       struct staging_end *end, struct err *err)
{
    const struct settings *settings = staging->settings;
    const struct plan_worker *worker = &plan->worker;
    const struct child_options child = {&worker->command, "worker", staging->dir, staging->dir};
    const struct plan_barrier *barrier = NULL;
    uint32_t *order OWN(own_mem) = NULL;
    int in OWN(own_fd) = -1;
    if (!find_barrier(staging, plan, &barrier, err) || !child_input(&worker->command, &in, err))
        return false;
    if (worker->has_locks)
        lock_order_draw(worker->count, 1, worker->seed, &order);
    const struct record_locks locks = {order, worker->count, worker->also};
    struct crowd crowd;
    char **additions = child_additions(&child);
    struct words environment = environment_of(staging, additions);
    crowd_init(&crowd, worker->command.argv, worker->count);
    const struct killing killing = {
        .settings = settings,
        .barrier = &barrier->barrier,
        .argv = crowd.argv,
        .environment = environment.items,
        .init = settings->init != NULL ? settings->init : plan->init,
        .setup = settings->setup != NULL ? settings->setup : plan->setup,
        .dir = staging->dir,
        .stdin_fd = &in,
        .locks = order != NULL ? &locks : NULL,
        .timeout_ns = worker->command.timeout_ns,
    };
    const bool is_done =
        killing_fill(&killing, err) && killing_run(&killing, &end->has_run, &end->status, err);
    crowd_fini(&crowd);
    free(environment.items);
    child_free_words(additions);
    return is_done;
}

/* The death of the worker must not have touched what is outside of it. */
static bool check_services(const struct services *services, const struct settings *settings,
                           struct err *err)
{
    const char *dead = services_find_dead(services);
    if (dead != NULL)
        return err_harness(err, "service %s did not outlive the worker", dead);
    if (services->count > 0 && !settings->is_quiet) {
        fprintf(stderr, "brink: services: %zu, each the same living process as before\n",
                services->count);
    }
    return true;
}

static bool make_folder(const char *path, struct err *err)
{
    return mkdir(path, 0755) == 0 || err_system(err, "make the folder %s", path);
}

static bool play(const struct staging *staging, bool is_isolated, struct staging_end *end,
                 struct err *err)
{
    char *state OWN(own_mem) = mem_format("%s/state", staging->folder);
    char *kept OWN(own_mem) = mem_format("%s/kept", staging->folder);
    const struct suite_place place = {
        .dir = staging->dir, .state = state, .kept = kept, .port = services_port(is_isolated)};
    const struct services_place services_place = {state, staging->dir};
    struct services services = {0};
    struct plan plan;
    if (!make_folder(state, err) || !make_folder(kept, err) ||
        !suite_plan(staging->suite_case, 0, &place, &plan, err))
        return false;
    const bool is_done = services_start(&services, &plan, &services_place, err) &&
                         run_worker(staging, &plan, end, err) &&
                         check_services(&services, staging->settings, err);
    services_stop(&services);
    plan_fini(&plan);
    return is_done;
}

NORETURN static void be_inside(const struct staging *staging, pid_t parent, int report_fd)
{
    struct staging_end end = {.status = -1};
    struct cell cell = {.folder = staging->folder};
    end.is_done = cell_enter(&cell, staging->want_isolation, parent, &end.err) &&
                  play(staging, cell.is_isolated, &end, &end.err);
    child_kill_rest(NULL, 0);
    _exit(write(report_fd, &end, sizeof end) == (ssize_t)sizeof end ? 0 : 1);
}

/* Signals of a terminal come to both processes; ours are handed on. */
static void wait_for(const struct staging *staging, pid_t inside)
{
    bool has_told = false;
    while (waitpid(inside, NULL, 0) < 0 && errno == EINTR) {
        if (interrupt_seen() && !has_told)
            kill(inside, staging->want_isolation ? SIGKILL : SIGTERM);
        has_told = has_told || interrupt_seen();
    }
}

static bool run_inside(const struct staging *staging, struct staging_end *end, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_system(err, "make a pipe");
    const int read_end OWN(own_fd) = ends[0];
    int write_end OWN(own_fd) = ends[1];
    const pid_t parent = getpid();
    fflush(stdout);
    const pid_t inside = fork();
    if (inside < 0)
        return err_system(err, "start the surroundings of the scenario");
    if (inside == 0)
        be_inside(staging, parent, write_end);
    own_close_now(&write_end);
    wait_for(staging, inside);
    if (read(read_end, end, sizeof *end) == (ssize_t)sizeof *end)
        return true;
    return interrupt_seen() ? err_harness(err, "interrupted; the worker was killed")
                            : err_harness(err, "the process of the scenario died");
}

bool staging_kill(const struct settings *settings, int *status, struct err *err)
{
    struct staging staging = {.settings = settings};
    struct staging_end end = {0};
    bool is_done = prepare(&staging, err) && run_inside(&staging, &end, err);
    if (is_done && !end.is_done)
        *err = end.err;
    if (is_done)
        *status = end.status;
    if (!end.has_run)
        killing_drop_dir(settings, staging.dir);
    free(staging.dir);
    free(staging.folder);
    suite_fini(&staging.suite);
    janitor_end(staging.janitor);
    return is_done && end.is_done;
}
