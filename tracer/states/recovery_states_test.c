/* The crash states of recoveries: enumerated, counted, named, walked to. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "enumerate.h"
#include "tracer/trace/example_test.h"
#include "tracer/trace/recoveries.h"

/* "log" gets 3 bytes in one write. Its recovery, begun on each of the two torn states, cuts it to
 * nothing and writes 2 bytes. */
struct setting {
    struct example worker, recovery;
    struct enumerated first;
    struct trace *trace;
};

static uint32_t add_recovery(struct setting *setting, size_t state)
{
    const struct trace_recovery about =
        recoveries_of_state(&setting->first.states[state], (uint32_t)state);
    recoveries_add(setting->trace, &setting->recovery.trace, setting->trace->nodes, &about);
    return setting->trace->recoveries_count;
}

static void make(struct setting *setting)
{
    const struct enumerate_options options = {.wanted = {true, true}};
    struct err err = {0};
    example_init(&setting->worker);
    const uint32_t log = example_create(&setting->worker, "log");
    example_begin(&setting->worker);
    example_write(&setting->worker, log, 0, "abc");
    example_finish(&setting->worker);
    setting->trace = &setting->worker.trace;
    cr_assert(enumerate(setting->trace, &options, &setting->first, &err), "%s", err.text);
    cr_assert_eq(setting->first.count, 4);

    example_init(&setting->recovery);
    setting->recovery.trace.nodes = setting->trace->nodes;
    example_truncate(&setting->recovery, log, 0);
    /* The bytes lie where the worker's do: "ab". */
    example_op(&setting->recovery,
               (struct op){.kind = OP_WRITE, .node = log, .size = 2, .payload_size = 2}, "log",
               NULL);
    example_finish(&setting->recovery);
    setting->recovery.trace.payload_size = setting->trace->payload_size;
}

static void unmake(struct setting *setting)
{
    free(setting->first.states);
    example_fini(&setting->worker);
    example_fini(&setting->recovery);
}

static struct enumerated deeper(const struct setting *setting, bool knows_first, uint64_t budget)
{
    const struct enumerate_options options = {.wanted = {true, true},
                                              .budget = budget,
                                              .want_recoveries = true,
                                              .known = setting->first.states,
                                              .known_count =
                                                  knows_first ? setting->first.count : 0};
    struct enumerated found;
    struct err err = {0};
    cr_assert(enumerate(setting->trace, &options, &found, &err), "%s", err.text);
    return found;
}

Test(recovery_states, equal_ones_are_one_over_all_recoveries)
{
    struct setting setting;
    make(&setting);
    add_recovery(&setting, 1);
    add_recovery(&setting, 2);
    const struct enumerated found = deeper(&setting, false, 0);
    /* Of each: begun, cut, written; and one torn write. */
    cr_expect_eq(found.counts[MODEL_KILL].legal, 6);
    cr_expect_eq(found.counts[MODEL_KILL].tried, 6);
    cr_expect_eq(found.counts[MODEL_TORN].legal, 2);
    /* "a", "ab" and "". */
    cr_expect_eq(found.count, 3);
    free(found.states);
    unmake(&setting);
}

Test(recovery_states, what_depth_1_has_checked_is_counted_and_not_checked_again)
{
    struct setting setting;
    make(&setting);
    add_recovery(&setting, 1);
    const struct enumerated found = deeper(&setting, true, 0);
    cr_expect_eq(found.count, 0);
    cr_expect_eq(found.counts[MODEL_KILL].legal, 3);
    cr_expect_eq(found.counts[MODEL_KILL].known, 3);
    cr_expect_eq(found.counts[MODEL_KILL].tried, 3);
    cr_expect_eq(found.counts[MODEL_KILL].distinct, 0);
    cr_expect_eq(found.counts[MODEL_TORN].tried, 1);
    free(found.states);
    unmake(&setting);
}

Test(recovery_states, other_promises_make_another_state)
{
    struct setting setting;
    make(&setting);
    add_recovery(&setting, 1);
    setting.trace->recoveries[0].acked_bytes = 1;
    const struct enumerated found = deeper(&setting, true, 0);
    cr_expect_eq(found.count, 3);
    cr_expect_eq(found.counts[MODEL_KILL].known, 0);
    cr_expect_eq(found.states[0].acked_bytes, 1);
    free(found.states);
    unmake(&setting);
}

Test(recovery_states, the_budget_is_for_all_recoveries_together)
{
    struct setting setting;
    make(&setting);
    add_recovery(&setting, 1);
    add_recovery(&setting, 2);
    const struct enumerated found = deeper(&setting, false, 2);
    cr_expect_eq(found.counts[MODEL_KILL].legal, 6);
    cr_expect_eq(found.counts[MODEL_KILL].distinct, 2);
    cr_expect_lt(found.counts[MODEL_KILL].tried, 6);
    free(found.states);
    unmake(&setting);
}

Test(recovery_states, ids_tell_the_crash_state_that_the_recovery_began_on)
{
    struct setting setting;
    make(&setting);
    add_recovery(&setting, 1);
    const struct enumerated once = deeper(&setting, false, 0);
    setting.trace->recoveries[0].id++;
    const struct enumerated other = deeper(&setting, false, 0);
    cr_assert_eq(once.count, other.count);
    for (size_t i = 0; i < once.count; i++) {
        cr_expect_str_neq(once.states[i].id, other.states[i].id);
        cr_expect_eq(once.states[i].recovery, 1);
        for (size_t j = 0; j < i; j++)
            cr_expect_neq(strncmp(once.states[i].id, once.states[j].id, 10), 0);
    }
    free(once.states);
    free(other.states);
    unmake(&setting);
}

/* Size of "log" in a state. */
static uint64_t size_in(struct walker *walker, const struct state *state)
{
    struct err err = {0};
    cr_assert(walker_to(walker, state, &err), "%s", err.text);
    struct tree *tree = walker_tree(walker);
    return tree_node(tree, tree_find(tree, "log"))->size;
}

Test(recovery_states, a_walk_enters_recoveries_and_leaves_nothing_of_them)
{
    struct setting setting;
    make(&setting);
    add_recovery(&setting, 1);
    add_recovery(&setting, 2);
    struct walker *walker = walker_new(setting.trace);
    cr_expect_eq(size_in(walker, &(struct state){.op = 0, .recovery = 1}), 1);
    cr_expect_eq(size_in(walker, &(struct state){.op = 1, .recovery = 1}), 0);
    cr_expect_eq(
        size_in(walker, &(struct state){.model = MODEL_TORN, .op = 1, .variant = 1, .recovery = 1}),
        1);
    cr_expect_eq(size_in(walker, &(struct state){.op = 2, .recovery = 1}), 2);
    cr_expect_eq(size_in(walker, &(struct state){.op = 0, .recovery = 2}), 2);
    cr_expect_eq(size_in(walker, &(struct state){.op = setting.trace->count}), 3);
    walker_free(walker);
    unmake(&setting);
}

Test(recovery_states, what_a_recovery_made_is_not_there_in_the_worker_s_later_states)
{
    struct setting setting;
    struct example making;
    struct err err = {0};
    make(&setting);
    example_init(&making);
    making.trace.nodes = setting.trace->nodes;
    example_create(&making, "made");
    example_finish(&making);
    const struct trace_recovery about = recoveries_of_state(&setting.first.states[1], 1);
    making.trace.payload_size = setting.trace->payload_size;
    recoveries_add(setting.trace, &making.trace, setting.trace->nodes, &about);
    struct walker *walker = walker_new(setting.trace);
    cr_assert(walker_to(walker, &(struct state){.op = 1, .recovery = 1}, &err), "%s", err.text);
    cr_expect_neq(tree_find(walker_tree(walker), "made"), NODE_NONE);
    cr_assert(walker_to(walker, &setting.first.states[2], &err), "%s", err.text);
    cr_expect_eq(tree_find(walker_tree(walker), "made"), NODE_NONE);
    walker_free(walker);
    example_fini(&making);
    unmake(&setting);
}
