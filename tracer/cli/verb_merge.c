/* verb_merge.c - brink merge: join the runs of several shards. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "loaded.h"
#include "merge.h"
#include "out.h"
#include "outputs.h"
#include "tracer/base/clock.h"
#include "tracer/base/copy.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/findings/group.h"
#include "tracer/runner/likeness.h"
#include "tracer/states/enumerate.h"
#include "verbs.h"

struct merging {
    const struct settings *settings;
    struct loaded *parts;
    size_t count;
    struct out out;
    struct store *store;
    struct run whole; /* its trace is that of the first part */
};

static bool load_parts(struct merging *merging, struct err *err)
{
    const struct settings *settings = merging->settings;
    merging->parts = mem_new(settings->rest_count, sizeof *merging->parts);
    for (size_t i = 0; i < settings->rest_count; i++) {
        merging->count = i + 1;
        if (!loaded_open(&merging->parts[i], settings->rest[i], err))
            return false;
        merging->parts[i].run.out = settings->rest[i];
    }
    return true;
}

static bool check_shards(const struct merging *merging, struct err *err)
{
    const uint32_t shards = merging->parts[0].kept.settings.shards;
    uint32_t *present OWN(own_mem) = mem_new(merging->count, sizeof *present);
    uint32_t missing = 0;
    for (size_t i = 0; i < merging->count; i++) {
        present[i] = merging->parts[i].kept.settings.shard;
        if (merging->parts[i].kept.settings.depth > 1) {
            return err_usage(err, "%s was made with --depth 2, which is not joined in this version",
                             merging->settings->rest[i]);
        }
        if (merging->parts[i].kept.settings.shards != shards) {
            return err_usage(err, "%s is one of %" PRIu32 " shards, %s one of %" PRIu32,
                             merging->settings->rest[i], merging->parts[i].kept.settings.shards,
                             merging->settings->rest[0], shards);
        }
    }
    if (merge_is_whole(present, merging->count, shards, &missing))
        return true;
    return err_usage(err, "shard %" PRIu32 "/%" PRIu32 " is missing: name its run too", missing + 1,
                     shards);
}

static bool check_same(struct merging *merging, size_t i, struct err *err)
{
    struct loaded *first = &merging->parts[0];
    struct loaded *other = &merging->parts[i];
    const char *first_name = merging->settings->rest[0];
    const char *name = merging->settings->rest[i];
    char *difference OWN(own_mem) = NULL;
    enum likeness alike = ALIKE_WHOLLY;
    if (!kept_compare_runs(first->store, other->store, &difference, err))
        return false;
    if (difference != NULL) {
        return err_usage(err, "%s and %s are no shards of one run: %s", first_name, name,
                         difference);
    }
    if (!likeness(&first->trace, &other->trace, first->trace.count, &alike, err))
        return false;
    if (alike == ALIKE_NOT || first->trace.count != other->trace.count) {
        return err_usage(err,
                         "%s and %s are no shards of one run: the worker did other things in "
                         "them",
                         first_name, name);
    }
    if (alike == ALIKE_IN_SHAPE) {
        outputs_note(&merging->whole,
                     mem_format("%s and %s recorded the same calls with other bytes or names: "
                                "their states are joined by place",
                                first_name, name));
    }
    return true;
}

static bool check_parts(struct merging *merging, struct err *err)
{
    if (!check_shards(merging, err))
        return false;
    for (size_t i = 1; i < merging->count; i++) {
        if (!check_same(merging, i, err))
            return false;
    }
    return true;
}

/* All states of the trace with the options of the parts, to which their verdicts are put. */
static bool enumerate_whole(struct merging *merging, struct err *err)
{
    const struct settings *kept = &merging->parts[0].kept.settings;
    struct run *whole = &merging->whole;
    struct enumerate_options options = {.budget = kept->budget, .shards = 1};
    struct enumerated found = {0};
    memcpy(options.wanted, kept->model_wanted, sizeof options.wanted);
    memcpy(whole->model_wanted, kept->model_wanted, sizeof whole->model_wanted);
    if (!enumerate(&merging->parts[0].trace, &options, &found, err))
        return false;
    whole->states = found.states;
    whole->states_count = found.count;
    whole->verdicts = mem_new(found.count + 1, sizeof *whole->verdicts);
    memcpy(whole->models, found.counts, sizeof whole->models);
    for (size_t i = 0; i < found.count; i++)
        whole->verdicts[i] = (struct verdict){.state = (uint32_t)i};
    return true;
}

static void join(struct merging *merging)
{
    struct run *whole = &merging->whole;
    size_t strangers = 0;
    for (size_t i = 0; i < merging->count; i++) {
        merge_figures(whole, &merging->parts[i].run);
        strangers += merge_verdicts(whole, &merging->parts[i].run);
    }
    if (strangers > 0) {
        outputs_note(whole, mem_format("%zu verdicts belong to no state of %s and were left out",
                                       strangers, merging->settings->rest[0]));
    }
    counts_fill(whole);
    group_findings(whole);
    whole->complete = whole->checked == whole->states_count;
    if (!whole->complete) {
        outputs_note(whole, mem_format("%zu of %zu states were checked in none of the joined runs",
                                       (size_t)(whole->states_count - whole->checked),
                                       whole->states_count));
    }
}

static bool open_out(struct merging *merging, struct err *err)
{
    const struct settings *settings = merging->settings;
    const struct out_options options = {.is_forced = settings->is_forced};
    if (!out_open(settings->out, &options, &merging->out, err))
        return false;
    for (size_t i = 0; i < settings->rest_count; i++) {
        char *real OWN(own_mem) = realpath(settings->rest[i], NULL);
        if (real != NULL && strcmp(real, merging->out.path) == 0) {
            return err_usage(err,
                             "--out %s: is one of the runs to be joined; choose another "
                             "folder",
                             settings->out);
        }
    }
    return true;
}

static bool store_whole(struct merging *merging, struct err *err)
{
    struct run *whole = &merging->whole;
    struct loaded *first = &merging->parts[0];
    int payload OWN(own_fd) = -1;
    if (!out_clear(&merging->out, err) || !store_create(merging->out.fd, &merging->store, err) ||
        !store_payload_create(merging->store, &payload, err))
        return false;
    if (first->trace.payload_fd >= 0 &&
        !copy_content(first->trace.payload_fd, payload, "run.payload", err))
        return false;
    if (!kept_copy_whole(first->store, merging->store, err) ||
        !store_write_trace(merging->store, &first->trace, err) ||
        !store_write_states(merging->store, whole->states, whole->states_count, err))
        return false;
    for (size_t i = 0; i < whole->states_count; i++) {
        if (whole->verdicts[i].kind != VERDICT_NONE &&
            !store_put_verdict(merging->store, &whole->verdicts[i], err))
            return false;
    }
    return store_flush(merging->store, err) && outputs_write(whole, merging->out.fd, err) &&
           store_write_run(merging->store, whole, err) && kept_set_resumable(merging->store, err) &&
           store_flush(merging->store, err);
}

static bool merge_all(struct merging *merging, struct err *err)
{
    const struct settings *settings = merging->settings;
    if (settings->out == NULL)
        return err_usage(err, "brink merge: name the folder of the joined run: -o RUN");
    if (!load_parts(merging, err) || !check_parts(merging, err))
        return false;
    const struct run *first = &merging->parts[0].run;
    merging->whole.trace = &merging->parts[0].trace;
    merging->whole.out = settings->out;
    merging->whole.recover = first->recover != NULL ? mem_string(first->recover) : NULL;
    merging->whole.check = first->check != NULL ? mem_string(first->check) : NULL;
    if (!open_out(merging, err) || !enumerate_whole(merging, err))
        return false;
    join(merging);
    if (!store_whole(merging, err))
        return err_while(err, "write the joined run into %s", settings->out);
    return settings->is_quiet || outputs_show(&merging->whole, stdout, err);
}

bool verb_merge(const struct settings *settings, int *status, struct err *err)
{
    struct merging merging = {.settings = settings, .out = {.fd = OUT_CLOSED}};
    const bool is_done = merge_all(&merging, err);
    if (is_done)
        *status = run_violations(&merging.whole) > 0 ? EXIT_FOUND : EXIT_HELD;
    run_fini(&merging.whole);
    store_close(merging.store);
    for (size_t i = 0; i < merging.count; i++)
        loaded_fini(&merging.parts[i]);
    free(merging.parts);
    out_close(&merging.out);
    return is_done;
}
