#include "owner_death.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "enumerate.h"
#include "tracer/trace/example_test.h"
#include "tracer/trace/recoveries.h"
#include "tracer/trace/robust_place.h"

/* "lock" has a word at byte 4. The worker takes it, others wait for it, it is given back: these are
 * positions 1, 2 and 3 of its ops. */
enum { TAKEN = 1, AWAITED, FREE, TID = 0x01010107 };
static const char words[][5] = {"\7\1\1\1", "\7\1\1\x81", "free"};

struct setting {
    struct example example;
    const struct trace *trace;
    uint32_t lock;
};

static void make(struct setting *setting, uint32_t from, uint32_t to)
{
    struct example *example = &setting->example;
    struct err err = {0};
    uint32_t number;
    example_init(example);
    setting->lock = example_create(example, "lock");
    example_write(example, setting->lock, 0, "headfree");
    example_begin(example);
    for (size_t i = 0; i < 3; i++)
        example_write(example, setting->lock, 4, words[i]);
    const struct robust_place place = {
        .node = setting->lock, .offset = 4, .tid = TID, .from = from, .to = to};
    cr_assert(trace_writer_robust(&example->writer, &place, &number, &err), "%s", err.text);
    setting->trace = example_finish(example);
}

static uint32_t word_of(const struct tree *tree, uint32_t node)
{
    struct err err = {0};
    uint32_t word = 0;
    size_t got = 0;
    cr_assert(tree_read(tree, node, 4, &word, sizeof word, &got, &err), "%s", err.text);
    cr_expect_eq(got, sizeof word);
    return word;
}

static void expect_word(struct walker *walker, const struct state *state, uint32_t node,
                        uint32_t word)
{
    struct err err = {0};
    cr_assert(walker_to(walker, state, &err), "%s", err.text);
    cr_expect_eq(word_of(walker_tree(walker), node), word, "op %u: %#x", state->op,
                 word_of(walker_tree(walker), node));
}

static uint32_t free_word(void)
{
    uint32_t word;
    memcpy(&word, "free", sizeof word);
    return word;
}

Test(owner_death, a_killed_worker_leaves_its_locks_marked_and_the_walk_goes_on_without_the_mark)
{
    struct setting setting;
    make(&setting, 0, UINT32_MAX);
    const uint32_t initial = setting.trace->initial;
    struct walker *walker = walker_new(setting.trace);
    expect_word(walker, &(struct state){.op = initial}, setting.lock, free_word());
    expect_word(walker, &(struct state){.op = initial + TAKEN}, setting.lock, 0x40000000);
    expect_word(walker, &(struct state){.op = initial + AWAITED}, setting.lock, 0xc0000000);
    expect_word(walker, &(struct state){.op = initial + FREE}, setting.lock, free_word());
    walker_free(walker);
    example_fini(&setting.example);
}

Test(owner_death, a_lock_that_cannot_be_seen_any_more_keeps_its_holder)
{
    struct setting setting;
    make(&setting, 0, 3);
    const uint32_t initial = setting.trace->initial;
    cr_assert_eq(initial + TAKEN, 3);
    struct walker *walker = walker_new(setting.trace);
    expect_word(walker, &(struct state){.op = initial + TAKEN}, setting.lock, 0x40000000);
    expect_word(walker, &(struct state){.op = initial + AWAITED}, setting.lock, 0x80000000 | TID);
    walker_free(walker);
    example_fini(&setting.example);
}

Test(owner_death, the_mark_is_part_of_a_torn_state_and_of_what_makes_states_equal)
{
    struct setting setting;
    make(&setting, 0, UINT32_MAX);
    const struct enumerate_options options = {.wanted = {true, true}};
    struct enumerated found;
    struct err err = {0};
    cr_assert(enumerate(setting.trace, &options, &found, &err), "%s", err.text);
    struct walker *walker = walker_new(setting.trace);
    for (size_t i = 0; i < found.count; i++) {
        const struct state *state = &found.states[i];
        cr_assert(walker_to(walker, state, &err), "%s", err.text);
        const struct trace_promised promised = {0};
        cr_expect(tree_hash_equal(state->hash, state_hash(walker_tree(walker), promised)),
                  "state %zu is what was hashed", i);
        cr_expect_neq(word_of(walker_tree(walker), setting.lock) & 0x3fffffff, TID, "state %zu", i);
    }
    /* Three bytes of the write of `awaited` are those of `taken`: torn there, it is no new state.
     */
    cr_expect_eq(found.counts[MODEL_TORN].legal, 9);
    cr_expect_eq(found.count, 3 + 3 + 3);
    walker_free(walker);
    free(found.states);
    example_fini(&setting.example);
}

Test(owner_death, a_recovery_begins_on_the_mark_and_has_locks_of_its_own)
{
    struct setting setting;
    struct example recovery;
    struct err err = {0};
    uint32_t number;
    make(&setting, 0, UINT32_MAX);
    struct trace *trace = &setting.example.trace;
    example_init(&recovery);
    recovery.trace.nodes = trace->nodes;
    /* It stores the worker's words at the file's start: there nobody but itself holds anything. */
    struct op op = trace->ops[trace->initial];
    op.offset = 0;
    example_op(&recovery, op, NULL, NULL);
    recovery.trace.ops[0].payload = op.payload;
    recovery.trace.ops[0].payload_size = op.payload_size;
    const struct robust_place place = {.node = setting.lock, .tid = TID, .to = UINT32_MAX};
    cr_assert(trace_writer_robust(&recovery.writer, &place, &number, &err), "%s", err.text);
    example_finish(&recovery);
    recovery.trace.robust[0].payload = trace->robust[0].payload;
    recovery.trace.payload_size = trace->payload_size;
    const struct state first = {.id = "ff", .op = trace->initial + TAKEN};
    const struct trace_recovery about = recoveries_of_state(&first, 0);
    recoveries_add(trace, &recovery.trace, trace->nodes, &about);

    struct walker *walker = walker_new(trace);
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t start = 0;
        size_t got = 0;
        expect_word(walker, &(struct state){.op = k, .recovery = 1}, setting.lock, 0x40000000);
        cr_assert(tree_read(walker_tree(walker), setting.lock, 0, &start, sizeof start, &got, &err),
                  "%s", err.text);
        cr_expect(k == 0 ? memcmp(&start, "head", 4) == 0 : start == 0x40000000, "op %u: %#x", k,
                  start);
    }
    walker_free(walker);
    example_fini(&recovery);
    example_fini(&setting.example);
}
