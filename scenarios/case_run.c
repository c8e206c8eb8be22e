#include "case_run.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cell.h"
#include "child.h"
#include "json_file.h"
#include "lock_order.h"
#include "neutral.h"
#include "scene_run.h"
#include "services.h"
#include "tracer/base/clock.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/runner/setup.h"

enum { LARGE_BLOCK = 256 << 10 };

/* The case while its runs go on. */
struct running {
    const struct case_options *options;
    int folder_fd;
    char *dir, *state, *kept;
    uint16_t port;
    struct services services;
    struct assertions assertions;
    json_t *children;
    uint32_t *orders;
    uint32_t processes;
    json_t *seen_orders; /* of locks: an object of those that were there */
    char *violated;      /* expected to fail; NULL: nothing */
    bool has_kept;       /* the workspace of a bad run */
};

static bool renew(const struct running *running, const char *name, struct err *err)
{
    if (!folder_remove(running->folder_fd, name, err))
        return false;
    return mkdirat(running->folder_fd, name, 0755) == 0 ||
           err_system(err, "make the folder %s", name);
}

static bool copy_initial(const char *init, int dir_fd, struct err *err)
{
    const int fd OWN(own_fd) = open(init, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        err_system(err, "open workspace.init %s", init);
        err->kind = ERR_USAGE;
        return false;
    }
    return folder_copy(fd, dir_fd, err);
}

static bool make_workspace(const struct running *running, const struct plan *plan, int *out_fd,
                           struct err *err)
{
    if (!renew(running, "work", err) || !folder_remove(running->folder_fd, "explored", err))
        return false;
    int fd OWN(own_fd) = openat(running->folder_fd, "work", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return err_system(err, "open %s", running->dir);
    if (plan->init && !copy_initial(plan->init, fd, err))
        return false;
    const struct setup setup = {.text = plan->setup, .path = running->dir, .copy_fd = -1};
    if (plan->setup && !setup_run(&setup, err))
        return false;
    *out_fd = own_take_fd(&fd);
    return true;
}

/* All have a reset, or all are started anew: they may depend on each other. */
static bool prepare_services(struct running *running, const struct plan *plan, struct err *err)
{
    const struct services_place place = {running->state, running->dir};
    if (services_can_reset(&running->services, plan))
        return services_reset(&running->services, plan, &place, err);
    services_stop(&running->services);
    return plan->services_count == 0 ||
           (renew(running, "state", err) && services_start(&running->services, plan, &place, err));
}

/* What the user may want to look at. */
static bool keep_workspace(struct running *running, const struct scene *scene, struct err *err)
{
    const int keep_fd = running->options->keep_fd;
    if (keep_fd < 0 || running->has_kept)
        return true;
    running->has_kept = true;
    const bool is_explored = scene->plan->explore.is_set;
    const char *name = is_explored ? "explored" : "workspace";
    const int from OWN(own_fd) = openat(running->folder_fd, is_explored ? "explored" : "work",
                                        O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0 && is_explored)
        return true; /* it came to nothing */
    if (from < 0 || mkdirat(keep_fd, name, 0755) != 0)
        return err_system(err, "keep the %s of a violated run", name);
    const int fd OWN(own_fd) = openat(keep_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 ? folder_copy(from, fd, err)
                   : err_system(err, "keep the %s of a violated run", name);
}

static bool play(struct running *running, struct scene *scene, size_t run, struct err *err)
{
    const uint32_t *order = NULL;
    const size_t failed = running->assertions.failed;
    const struct suite_case *suite_case = running->options->suite_case;
    if (running->orders)
        order = running->orders + (run % suite_case->orders) * running->processes;
    char *explored OWN(own_mem) = mem_format("%s/explored", running->options->folder);
    const struct scene_options options = {.services = running->services.items,
                                          .order = order,
                                          .explored = explored,
                                          .is_last = run + 1 == suite_case->runs};
    scene->assertions = &running->assertions;
    const bool is_done = scene_run(scene, &options, err);
    if (scene->lock_order)
        json_object_set_new(running->seen_orders, scene->lock_order, json_true());
    const bool is_bad = !is_done || (running->assertions.failed > failed && !running->violated);
    if (is_bad || running->options->want_children) {
        json_t *entry = json_object();
        json_object_set_new(entry, "run", json_integer((json_int_t)run + 1));
        json_object_set_new(entry, "label", json_string(running->assertions.label));
        json_object_set(entry, "children", scene->children);
        json_array_append_new(running->children, entry);
    }
    struct err ignored = {0};
    return is_bad ? keep_workspace(running, scene, is_done ? err : &ignored) && is_done : is_done;
}

static bool run_once(struct running *running, size_t run, struct err *err)
{
    const struct suite_case *suite_case = running->options->suite_case;
    const struct suite_place place = {
        .dir = running->dir, .state = running->state, .kept = running->kept, .port = running->port};
    struct plan plan;
    int dir_fd = -1;
    if (!suite_plan(suite_case, run, &place, &plan, err))
        return false;
    char *label OWN(own_mem) = suite_run_label(suite_case, run);
    running->assertions.run = run + 1;
    running->assertions.label = label;
    running->processes = plan.worker.count;
    if (plan.worker.has_locks && !running->orders)
        lock_order_draw(plan.worker.count, plan.worker.orders, plan.worker.seed, &running->orders);
    if (plan.violated && !running->violated)
        running->violated = mem_string(plan.violated);
    bool is_done =
        prepare_services(running, &plan, err) && make_workspace(running, &plan, &dir_fd, err);
    if (is_done) {
        struct scene scene;
        scene_init(&scene, &plan, running->dir, dir_fd);
        is_done = play(running, &scene, run, err);
        scene_fini(&scene);
    }
    plan_fini(&plan);
    running->assertions.label = "";
    return is_done || (*label ? err_while(err, "run %s", label) : false);
}

/* The orders in which locks were got, over all runs of the case. */
static void check_orders(struct running *running)
{
    const char *order;
    json_t *value;
    json_t *firsts = json_object();
    const size_t wanted = running->options->suite_case->orders;
    const size_t first_wanted = wanted < running->processes ? wanted : running->processes;
    json_object_foreach(running->seen_orders, order, value)
    {
        char *first OWN(own_mem) = mem_range(order, strcspn(order, " "));
        json_object_set_new(firsts, first, json_true());
    }
    char *expected OWN(own_mem) = mem_format("%zu", wanted);
    char *observed OWN(own_mem) = mem_format("%zu", json_object_size(running->seen_orders));
    char *expected_first OWN(own_mem) = mem_format("%zu", first_wanted);
    char *observed_first OWN(own_mem) = mem_format("%zu", json_object_size(firsts));
    assertions_compare(&running->assertions,
                       &(struct assertion){"locks", "different orders", expected, observed});
    assertions_compare(
        &running->assertions,
        &(struct assertion){"locks", "processes that were first", expected_first, observed_first});
    json_decref(firsts);
}

static bool run_all(struct running *running, struct err *err)
{
    const struct case_options *options = running->options;
    running->folder_fd = open(options->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (running->folder_fd < 0)
        return err_system(err, "open %s", options->folder);
    if (!renew(running, "kept", err))
        return false;
    for (size_t run = 0; run < options->suite_case->runs; run++) {
        if (options->interrupted && *options->interrupted)
            return err_harness(err, "interrupted");
        if (!run_once(running, run, err))
            return false;
    }
    if (running->orders)
        check_orders(running);
    return true;
}

static void hide_places(const struct running *running, json_t *report)
{
    char *bin OWN(own_mem) = suite_bin();
    const struct case_options *options = running->options;
    const struct neutral_place places[] = {
        {running->dir, "${dir}"},
        {running->state, "${state}"},
        {running->kept, "${kept}"},
        {options->folder, "${case}"},
        {bin, "${bin}"},
        {options->suite_case->source->folder, "${here}"},
        {NULL, NULL},
    };
    neutral_make(report, places);
}

static json_t *report_of(const struct running *running, bool is_done, const struct err *err,
                         int64_t elapsed_ns)
{
    json_t *report = json_object();
    json_object_set(report, "assertions", running->assertions.list);
    json_object_set(report, "children", running->children);
    json_object_set_new(report, "seconds", json_real(clock_seconds(elapsed_ns)));
    if (running->violated)
        json_object_set_new(report, "expected", json_string(running->violated));
    if (!is_done) {
        char *text OWN(own_mem) = text_escape(err->text, SIZE_MAX);
        json_object_set_new(report, "error", json_string(text));
        json_object_set_new(report, "usage", json_boolean(err->kind == ERR_USAGE));
    }
    hide_places(running, report);
    return report;
}

NORETURN void case_run(const struct case_options *options, pid_t parent, int report_fd)
{
    const int64_t began = clock_now();
    /* Large blocks of each run come fresh from the kernel and only as far as they are used: the C
     * library would else begin to recycle them, and clear a megabyte for each recording. */
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    struct err err = {0};
    struct cell cell = {.folder = options->folder};
    struct running running = {.options = options,
                              .folder_fd = -1,
                              .dir = mem_format("%s/work", options->folder),
                              .state = mem_format("%s/state", options->folder),
                              .kept = mem_format("%s/kept", options->folder),
                              .children = json_array(),
                              .seen_orders = json_object()};
    assertions_init(&running.assertions);
    bool is_done = cell_enter(&cell, options->want_isolation, parent, &err);
    running.port = services_port(cell.is_isolated);
    is_done = is_done && run_all(&running, &err);
    services_stop(&running.services);
    child_kill_rest(NULL, 0);
    json_t *report = report_of(&running, is_done, &err, clock_now() - began);
    _exit(json_file_write(report_fd, report, JSON_COMPACT) ? 0 : 1);
}
