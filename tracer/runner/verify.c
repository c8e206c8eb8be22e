#include "verify.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kill_points.h"
#include "likeness.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/states/owner_death.h"
#include "tracer/trace/snapshot.h"

/* One more run of the worker, to a point. */
struct again {
    const struct verify_options *options;
    const struct record_halt *point;
    int copy_fd;
    struct trace trace;
    struct trace_writer writer;
    struct snapshot_items items;
    enum record_end end;
};

static bool make_copy(const struct verify_options *options, int parent_fd, int *out,
                      struct err *err)
{
    if (!folder_remove(parent_fd, "again", err))
        return false;
    if (mkdirat(parent_fd, "again", 0700) != 0)
        return err_system(err, "make %s/again", options->temporary);
    int copy OWN(own_fd) = openat(parent_fd, "again", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0)
        return err_system(err, "open %s/again", options->temporary);
    const int initial OWN(own_fd) = open(options->initial, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (initial < 0)
        return err_system(err, "open %s", options->initial);
    if (!folder_copy(initial, copy, err))
        return false;
    *out = own_take_fd(&copy);
    return true;
}

static void again_fini(struct again *again)
{
    trace_writer_fini(&again->writer);
    trace_fini(&again->trace);
    free(again->items.items);
    own_fd(&again->copy_fd);
}

static bool record_again(struct again *again, struct err *err)
{
    const struct verify_options *options = again->options;
    struct record_options record_options = options->record;
    record_options.copy_fd = again->copy_fd;
    record_options.halt = again->point;
    record_options.want_output = false;
    record_options.want_exits = true;
    record_options.want_backtrace = false;
    record_options.stdin_fd = -1;
    if (options->input.open &&
        !options->input.open(options->input.context, &record_options.stdin_fd, err))
        return false;
    const bool is_done = record(&record_options, &again->items, &again->writer, &again->end, err);
    if (options->input.close)
        options->input.close(options->input.context, record_options.stdin_fd);
    return is_done && trace_writer_finish(&again->writer, err);
}

static bool run_again(struct again *again, int parent_fd, struct err *err)
{
    const int payload =
        openat(parent_fd, "again.payload", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (payload < 0)
        return err_system(err, "make %s/again.payload", again->options->temporary);
    trace_init(&again->trace);
    trace_writer_init(&again->writer, &again->trace, payload);
    if (!make_copy(again->options, parent_fd, &again->copy_fd, err))
        return false;
    const struct snapshot_options snapshot = {
        .dir = NODE_ROOT, .prefix = "", .exclude = again->options->record.exclude};
    if (!snapshot_read(&again->writer, again->copy_fd, &snapshot, &again->items, err))
        return false;
    again->trace.initial = again->trace.count;
    return record_again(again, err);
}

/* A kill inside a trace: after ops [0, k) and the first `bytes` bytes of op k. */
struct place {
    const struct trace *trace;
    uint32_t k;
    uint64_t bytes;
};

static struct tree *tree_at(struct place place, struct err *err)
{
    struct tree *tree = tree_new(place.trace);
    bool is_done = true;
    for (uint32_t i = 0; is_done && i < place.k; i++)
        is_done = tree_apply(tree, &place.trace->ops[i], err);
    if (is_done && place.bytes > 0)
        is_done = tree_apply_part(tree, &place.trace->ops[place.k], 0, place.bytes, err);
    is_done = is_done && owner_death_apply(tree, place.trace, place.k, err);
    if (is_done)
        return tree;
    tree_free(tree);
    return NULL;
}

static bool compare(const struct again *again, struct place place, char **difference,
                    struct err *err)
{
    struct tree *tree = tree_at(place, err);
    if (!tree)
        return false;
    const bool is_done =
        snapshot_compare(tree, again->copy_fd, again->options->record.exclude, difference, err);
    tree_free(tree);
    return is_done;
}

static const char *where_name(enum halt_where where)
{
    switch (where) {
    case HALT_BEFORE:
        return "entry";
    case HALT_INSIDE:
        return "middle";
    case HALT_AFTER:
        return "exit";
    }
    return "";
}

static bool mismatch(const struct again *again, const char *difference, struct err *err)
{
    const struct trace *trace = again->options->trace;
    char *what OWN(own_mem) = trace_sentence(trace, &trace->ops[again->point->op]);
    return err_harness(err,
                       "a real kill at the %s of op %u (%s) left another workspace than predicted: "
                       "%s; seed %llu",
                       where_name(again->point->where), again->point->op - trace->initial + 1, what,
                       difference, (unsigned long long)again->options->seed);
}

/* The workspace is not that of the point. It must be the one that this second recording itself
 * predicts: then the two recordings tell why. Threads that race may have done an op more when the
 * kill came: as long as all ops are those of the first recording, that is a crash point of it too,
 * and met exactly. */
static bool judge_different(struct again *again, struct verified *out, struct err *err)
{
    enum likeness alike;
    if (!likeness(again->options->trace, &again->trace, again->trace.count, &alike, err))
        return false;
    char *own_difference OWN(own_mem) = NULL;
    if (!compare(again, (struct place){&again->trace, again->trace.count, 0}, &own_difference, err))
        return false;
    if (own_difference)
        return mismatch(again, own_difference, err);
    if (alike == ALIKE_NOT || again->end != RECORD_HALTED) {
        out->unstable++;
    } else if (alike == ALIKE_IN_SHAPE) {
        out->same_shape++;
    } else {
        out->equal++;
    }
    return true;
}

static bool judge(struct again *again, struct verified *out, struct err *err)
{
    const struct record_halt *point = again->point;
    char *difference OWN(own_mem) = NULL;
    const uint32_t k = point->where == HALT_AFTER ? point->op + 1 : point->op;
    if (!compare(again, (struct place){again->options->trace, k, point->bytes}, &difference, err))
        return false;
    if (again->end == RECORD_HALTED && !difference) {
        out->equal++;
        return true;
    }
    return judge_different(again, out, err);
}

static bool try_point(const struct verify_options *options, int parent_fd,
                      const struct record_halt *point, struct verified *out, struct err *err)
{
    struct again again = {.options = options, .point = point, .copy_fd = -1};
    bool is_done = run_again(&again, parent_fd, err);
    if (is_done && again.end != RECORD_INTERRUPTED) {
        out->tried++;
        is_done = judge(&again, out, err);
    }
    again_fini(&again);
    return is_done;
}

/* A service would see the worker twice, and be in another state the second time. */
static bool talks_outside(const struct trace *trace, struct verified *out)
{
    for (uint32_t k = trace->initial; k < trace->count; k++) {
        const struct op *op = &trace->ops[k];
        if (op->kind != OP_CONNECT && op->kind != OP_SEND && op->kind != OP_RECEIVE)
            continue;
        snprintf(out->skipped, sizeof out->skipped,
                 "the worker talked to %s, which a second run would disturb",
                 trace_string(trace, op->path));
        return true;
    }
    return false;
}

static bool is_interrupted(const struct verify_options *options)
{
    return options->record.interrupted && *options->record.interrupted;
}

bool verify(const struct verify_options *options, struct verified *out, struct err *err)
{
    struct verified result = {.seed = options->seed};
    if (options->points == 0 || talks_outside(options->trace, &result)) {
        *out = result;
        return true;
    }
    const int parent OWN(own_fd) = open(options->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return err_system(err, "open %s", options->temporary);
    struct record_halt *points OWN(own_mem) = NULL;
    const size_t count = kill_points_draw(options->trace, options->points, options->seed, &points);
    for (size_t i = 0; i < count && !is_interrupted(options); i++) {
        if (!try_point(options, parent, &points[i], &result, err))
            return err_while(err, "verify by kill");
        if (options->progress)
            options->progress(options->context, (uint32_t)i + 1, (uint32_t)count);
    }
    *out = result;
    return true;
}
