#include "recoveries.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "example_test.h"
#include "robust_place.h"
#include "tree.h"
#include "verdict.h"

/* A worker that makes "log" with "whole"; a recovery of it that creates "new" with "w" and renames
 * it to "log". */
struct pair {
    struct example worker, recovery;
    uint32_t nodes_before;
};

static void make(struct pair *pair)
{
    example_init(&pair->worker);
    const uint32_t log = example_create(&pair->worker, "log");
    example_write(&pair->worker, log, 0, "whole");
    example_finish(&pair->worker);
    pair->nodes_before = pair->worker.trace.nodes;

    example_init(&pair->recovery);
    pair->recovery.trace.nodes = pair->nodes_before;
    example_op(&pair->recovery,
               (struct op){.kind = OP_CREATE,
                           .node = log,
                           .dir = NODE_ROOT,
                           .name = strings_add(&pair->recovery.trace.strings, "log"),
                           .mode = 0100644},
               "log", NULL);
    example_begin(&pair->recovery);
    const uint32_t new = example_create(&pair->recovery, "new");
    example_truncate(&pair->recovery, new, 1);
    example_op(&pair->recovery,
               (struct op){.kind = OP_RENAME,
                           .node = new,
                           .node2 = log,
                           .dir = NODE_ROOT,
                           .dir2 = NODE_ROOT,
                           .name = strings_add(&pair->recovery.trace.strings, "new"),
                           .name2 = strings_add(&pair->recovery.trace.strings, "log")},
               "new", NULL);
    example_finish(&pair->recovery);
    pair->recovery.trace.payload_size = pair->worker.trace.payload_size;
}

static void unmake(struct pair *pair)
{
    example_fini(&pair->worker);
    example_fini(&pair->recovery);
}

static const struct state after_all = {.id = "00000000000000ff", .op = 2, .acked_bytes = 7};

static void expect_log_of_one_byte(const struct trace *trace, uint32_t number)
{
    struct tree *tree = tree_new(trace);
    struct err err = {0};
    for (uint32_t i = 0; i < trace->count; i++)
        cr_assert(tree_apply(tree, &trace->ops[i], &err), "%s", err.text);
    const struct trace inside = recoveries_trace(trace, number);
    cr_assert_eq(inside.initial, 0);
    for (uint32_t i = 0; i < inside.count; i++)
        cr_assert(tree_apply(tree, &inside.ops[i], &err), "%s", err.text);
    const uint32_t node = tree_find(tree, "log");
    cr_assert_neq(node, NODE_NONE);
    cr_expect_eq(tree_node(tree, node)->size, 1);
    cr_expect_eq(tree_find(tree, "new"), NODE_NONE);
    tree_free(tree);
}

Test(recoveries, one_tree_goes_through_the_worker_and_on_through_its_recovery)
{
    struct pair pair;
    make(&pair);
    const struct trace_recovery about = recoveries_of_state(&after_all, 0);
    recoveries_add(&pair.worker.trace, &pair.recovery.trace, pair.nodes_before, &about);
    cr_assert_eq(pair.worker.trace.recoveries_count, 1);
    cr_expect_eq(pair.worker.trace.recoveries[0].id, 0xff);
    cr_expect_eq(pair.worker.trace.recoveries[0].acked_bytes, 7);
    cr_expect_eq(pair.worker.trace.recoveries[0].count, 3);
    expect_log_of_one_byte(&pair.worker.trace, 0);
    unmake(&pair);
}

Test(recoveries, each_has_nodes_of_its_own)
{
    struct pair pair;
    make(&pair);
    const struct trace_recovery about = recoveries_of_state(&after_all, 0);
    recoveries_add(&pair.worker.trace, &pair.recovery.trace, pair.nodes_before, &about);
    recoveries_add(&pair.worker.trace, &pair.recovery.trace, pair.nodes_before, &about);
    const struct op *ops = pair.worker.trace.recovery_ops;
    cr_expect_neq(ops[0].node, ops[3].node);
    cr_expect_eq(ops[2].node2, ops[5].node2, "a node of the worker stays the same");
    expect_log_of_one_byte(&pair.worker.trace, 1);
    unmake(&pair);
}

Test(recoveries, what_was_packed_is_added_like_the_recording_itself)
{
    struct pair pair;
    struct trace unpacked;
    size_t size = 0;
    make(&pair);
    trace_init(&unpacked);
    char *bytes = recoveries_pack(&pair.recovery.trace, &size);
    cr_assert(recoveries_unpack(bytes, size, &unpacked));
    const struct trace_recovery about = recoveries_of_state(&after_all, 0);
    recoveries_add(&pair.worker.trace, &unpacked, pair.nodes_before, &about);
    expect_log_of_one_byte(&pair.worker.trace, 0);
    free(bytes);
    trace_fini(&unpacked);
    unmake(&pair);
}

static void add_robust(struct example *example, struct robust_place place)
{
    struct err err = {0};
    uint32_t number;
    cr_assert(trace_writer_robust(&example->writer, &place, &number, &err), "%s", err.text);
}

Test(recoveries, robust_mutexes_stay_those_of_their_recovery)
{
    struct pair pair;
    struct trace unpacked;
    size_t size = 0;
    uint32_t count = 0;
    make(&pair);
    /* "new" of the recovery; positions count its one initial op. */
    add_robust(&pair.worker, (struct robust_place){.node = 2, .to = UINT32_MAX});
    add_robust(&pair.recovery,
               (struct robust_place){.node = pair.nodes_before, .tid = 9, .from = 2, .to = 3});
    trace_init(&unpacked);
    char *bytes = recoveries_pack(&pair.recovery.trace, &size);
    cr_assert(recoveries_unpack(bytes, size, &unpacked));
    const struct trace_recovery about = recoveries_of_state(&after_all, 0);
    recoveries_add(&pair.worker.trace, &pair.recovery.trace, pair.nodes_before, &about);
    recoveries_add(&pair.worker.trace, &unpacked, pair.nodes_before, &about);
    const struct trace *trace = &pair.worker.trace;
    cr_assert_eq(trace->robust_count, 3);
    for (uint32_t recovery = 0; recovery < 4; recovery++) {
        const struct robust_place *place = robust_places(trace, recovery, &count);
        cr_assert_eq(count, recovery < 3 ? 1 : 0, "recovery %u", recovery);
        cr_expect(recovery == 3 || place->recovery == recovery, "recovery %u", recovery);
    }
    for (uint32_t number = 0; number < 2; number++) {
        const struct robust_place *place = robust_places(trace, number + 1, &count);
        cr_expect_eq(place->node, recoveries_trace(trace, number).ops[0].node);
        cr_expect_eq(place->tid, 9);
        cr_expect_eq(place->from, 1);
        cr_expect_eq(place->to, 2);
    }
    recoveries_drop_last(&pair.worker.trace);
    cr_expect_eq(trace->robust_count, 2);
    free(bytes);
    trace_fini(&unpacked);
    unmake(&pair);
}

Test(recoveries, bytes_that_are_cut_short_are_refused)
{
    struct pair pair;
    size_t size = 0;
    make(&pair);
    char *bytes = recoveries_pack(&pair.recovery.trace, &size);
    for (size_t shorter = 0; shorter < size; shorter++) {
        struct trace unpacked;
        trace_init(&unpacked);
        cr_expect_not(recoveries_unpack(bytes, shorter, &unpacked), "%zu bytes", shorter);
        trace_fini(&unpacked);
    }
    free(bytes);
    unmake(&pair);
}

Test(recoveries, the_last_one_can_be_taken_out_again)
{
    struct pair pair;
    make(&pair);
    const struct trace_recovery about = recoveries_of_state(&after_all, 0);
    recoveries_add(&pair.worker.trace, &pair.recovery.trace, pair.nodes_before, &about);
    recoveries_add(&pair.worker.trace, &pair.recovery.trace, pair.nodes_before, &about);
    recoveries_drop_last(&pair.worker.trace);
    cr_expect_eq(pair.worker.trace.recoveries_count, 1);
    cr_expect_eq(pair.worker.trace.recovery_ops_count, 3);
    expect_log_of_one_byte(&pair.worker.trace, 0);
    unmake(&pair);
}
