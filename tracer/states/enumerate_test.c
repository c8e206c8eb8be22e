#include "enumerate.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/trace/example_test.h"

static struct enumerated explore(const struct trace *trace, uint64_t budget)
{
    const struct enumerate_options options = {.wanted = {true, true}, .budget = budget};
    struct enumerated result;
    struct err err = {0};
    cr_assert(enumerate(trace, &options, &result, &err), "%s", err.text);
    return result;
}

Test(enumerate, a_created_and_written_file_has_every_boundary_and_every_strict_prefix)
{
    struct example example;
    example_init(&example);
    const uint32_t node = example_create(&example, "log");
    example_write(&example, node, 0, "0123456789");
    example_sync(&example, node);
    const struct trace *trace = example_finish(&example);
    const struct enumerated got = explore(trace, 0);
    /* Before, after create, after write, after fsync (equal to the one before it). */
    cr_expect_eq(got.counts[MODEL_KILL].legal, 4);
    cr_expect_eq(got.counts[MODEL_KILL].tried, 4);
    cr_expect_eq(got.counts[MODEL_KILL].distinct, 3);
    cr_expect_eq(got.counts[MODEL_TORN].legal, 9);
    cr_expect_eq(got.counts[MODEL_TORN].distinct, 9);
    cr_expect_eq(got.count, 12);
    free(got.states);
    example_fini(&example);
}

Test(enumerate, a_promise_makes_two_states_of_one_workspace)
{
    struct example example;
    example_init(&example);
    example_create(&example, "log");
    example_promise(&example, "done\n");
    const struct trace *trace = example_finish(&example);
    const struct enumerated got = explore(trace, 0);
    cr_expect_eq(got.counts[MODEL_KILL].distinct, 3);
    cr_expect_eq(got.states[2].acked_bytes, 5);
    free(got.states);
    example_fini(&example);
}

Test(enumerate, a_torn_state_that_equals_a_killed_one_belongs_to_kill)
{
    struct example example;
    example_init(&example);
    const uint32_t node = example_create(&example, "log");
    example_write(&example, node, 0, "ab");
    example_truncate(&example, node, 1);
    const struct trace *trace = example_finish(&example);
    const struct enumerated got = explore(trace, 0);
    cr_expect_eq(got.count, 4);
    cr_expect_eq(got.counts[MODEL_TORN].tried, 1);
    cr_expect_eq(got.counts[MODEL_TORN].distinct, 1);
    for (size_t i = 0; i < got.count; i++)
        cr_expect_eq(got.states[i].model, MODEL_KILL);
    free(got.states);
    example_fini(&example);
}

static void make_log(struct example *example, int writes)
{
    char payload[101];
    memset(payload, 'x', 100);
    payload[100] = '\0';
    example_init(example);
    const uint32_t node = example_create(example, "log");
    for (int i = 0; i < writes; i++) {
        payload[0] = (char)('a' + i % 26);
        example_write(example, node, (uint64_t)i * 100, payload);
    }
    example_finish(example);
}

Test(enumerate, a_budget_limits_the_states_of_each_model_and_keeps_the_ends_of_writes)
{
    struct example example;
    make_log(&example, 50);
    const struct enumerated got = explore(&example.trace, 200);
    cr_expect_eq(got.counts[MODEL_TORN].legal, 50 * 99);
    cr_expect_eq(got.counts[MODEL_TORN].distinct, 200);
    cr_expect_eq(got.counts[MODEL_KILL].distinct, 52);
    int ends = 0;
    for (size_t i = 0; i < got.count; i++)
        ends += got.states[i].model == MODEL_TORN &&
                (got.states[i].variant == 1 || got.states[i].variant == 99);
    cr_expect_eq(ends, 100);
    free(got.states);
    example_fini(&example);
}

Test(enumerate, shards_are_disjoint_and_together_whole)
{
    struct example example;
    make_log(&example, 5);
    const struct enumerated whole = explore(&example.trace, 0);
    size_t sum = 0;
    uint64_t tried = 0;
    for (uint32_t shard = 0; shard < 3; shard++) {
        const struct enumerate_options options = {
            .wanted = {true, true}, .shard = shard, .shards = 3};
        struct enumerated part;
        struct err err = {0};
        cr_assert(enumerate(&example.trace, &options, &part, &err));
        sum += part.count;
        tried += part.counts[MODEL_TORN].tried;
        free(part.states);
    }
    cr_expect_eq(sum, whole.count);
    cr_expect_eq(tried, whole.counts[MODEL_TORN].tried);
    free(whole.states);
    example_fini(&example);
}

Test(enumerate, ids_are_the_same_in_two_enumerations_and_all_different)
{
    struct example example;
    make_log(&example, 5);
    const struct enumerated once = explore(&example.trace, 0);
    const struct enumerated again = explore(&example.trace, 300);
    size_t found = 0;
    for (size_t i = 0; i < again.count; i++) {
        for (size_t j = 0; j < once.count; j++)
            found += strcmp(again.states[i].id, once.states[j].id) == 0;
    }
    cr_expect_eq(found, again.count);
    free(once.states);
    free(again.states);
    example_fini(&example);
}

static void store_page(struct example *example, uint32_t node, uint64_t page, bool more)
{
    char payload[4097];
    memset(payload, 'a' + (int)page, 4096);
    payload[4096] = '\0';
    example_op(
        example,
        (struct op){
            .kind = OP_STORE, .node = node, .offset = page * 4096, .flags = more ? OP_MORE : 0},
        "map", payload);
}

Test(enumerate, stores_tear_by_page_and_by_sector_and_a_kill_has_all_of_them)
{
    struct example example;
    example_init(&example);
    const uint32_t node = example_create(&example, "map");
    example_truncate(&example, node, 3 * 4096);
    for (uint64_t page = 0; page < 3; page++)
        store_page(&example, node, page, page < 2);
    const struct trace *trace = example_finish(&example);
    const struct enumerated got = explore(trace, 0);
    cr_expect_eq(got.counts[MODEL_KILL].legal, 4);
    /* Three alone, three left out, seven first and seven last sectors of each. */
    cr_expect_eq(got.counts[MODEL_TORN].legal, 3 + 3 + 3 * 14);
    cr_expect_eq(got.counts[MODEL_TORN].distinct, 3 + 3 + 3 * 14);
    free(got.states);
    example_fini(&example);
}

Test(enumerate, leaving_out_one_of_two_pages_is_the_other_alone_and_not_counted_again)
{
    struct example example;
    example_init(&example);
    const uint32_t node = example_create(&example, "map");
    example_truncate(&example, node, 2 * 4096);
    store_page(&example, node, 0, true);
    store_page(&example, node, 1, false);
    const struct trace *trace = example_finish(&example);
    const struct enumerated got = explore(trace, 0);
    cr_expect_eq(got.counts[MODEL_TORN].legal, 2 + 2 * 14);
    free(got.states);
    example_fini(&example);
}

Test(enumerate, a_huge_write_is_counted_exactly_and_hashed_within_the_budget)
{
    struct example example;
    example_init(&example);
    const uint32_t node = example_create(&example, "big");
    char *payload = malloc(1000001);
    memset(payload, 'x', 1000000);
    payload[1000000] = '\0';
    example_write(&example, node, 0, payload);
    free(payload);
    const struct trace *trace = example_finish(&example);
    const struct enumerated got = explore(trace, 20);
    cr_expect_eq(got.counts[MODEL_TORN].legal, 999999);
    cr_expect_eq(got.counts[MODEL_TORN].distinct, 20);
    free(got.states);
    example_fini(&example);
}
