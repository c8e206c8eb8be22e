#include "group.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/states/enumerate.h"
#include "tracer/trace/example_test.h"

/* A run over a trace in which the states chosen by `is_bad` are violated. */
struct explored {
    struct run run;
    struct enumerated states;
};

static void explore(struct explored *out, const struct trace *trace,
                    bool (*is_bad)(const struct state *))
{
    const struct enumerate_options options = {.wanted = {true, true}};
    struct err err = {0};
    cr_assert(enumerate(trace, &options, &out->states, &err), "%s", err.text);
    out->run = (struct run){.trace = trace,
                            .states = out->states.states,
                            .states_count = out->states.count,
                            .verdicts = calloc(out->states.count, sizeof(struct verdict)),
                            .check = strdup("./check")};
    for (size_t i = 0; i < out->states.count; i++) {
        out->run.verdicts[i].state = (uint32_t)i;
        out->run.verdicts[i].kind =
            is_bad(&out->states.states[i]) ? VERDICT_VIOLATED : VERDICT_HELD;
    }
    group_findings(&out->run);
}

/* create (op 0), write "old", truncate to 0, write "newer", fsync: the classic loss. */
static const struct trace *make_rewrite(struct example *example)
{
    example_init(example);
    const uint32_t node = example_create(example, "pending.data");
    example_write(example, node, 0, "old");
    example_begin(example);
    example_truncate(example, node, 0);
    example_write(example, node, 0, "newer");
    example_sync(example, node);
    return example_finish(example);
}

static bool is_empty_or_torn(const struct state *state)
{
    return state->model == MODEL_TORN || state->op == 3;
}

Test(group, a_truncation_in_place_is_one_finding_with_the_torn_writes_inside_it)
{
    struct example example;
    struct explored explored;
    explore(&explored, make_rewrite(&example), is_empty_or_torn);
    cr_assert_eq(explored.run.findings_count, 1);
    const struct finding *finding = &explored.run.findings[0];
    cr_expect_eq(finding->weakest, MODEL_KILL);
    cr_expect_eq(finding->states, 1 + 4);
    cr_expect_str_eq(finding->id, "F1");
    cr_expect_str_eq(finding->path, "pending.data");
    cr_expect_str_eq(finding->call, "ftruncate");
    cr_expect_not_null(strstr(finding->sentence, "op 1"), "%s", finding->sentence);
    cr_expect_not_null(strstr(finding->sentence, "op 2"), "%s", finding->sentence);
    cr_expect_str_eq(finding->missing,
                     "the new content of pending.data under another name, then a rename over it");
}

static bool is_long_prefix(const struct state *state)
{
    return state->model == MODEL_TORN && state->variant >= 3;
}

Test(group, a_torn_write_outside_of_any_window_is_a_finding_of_its_own)
{
    struct example example;
    example_init(&example);
    const uint32_t node = example_create(&example, "log");
    example_write(&example, node, 0, "12345");
    struct explored explored;
    explore(&explored, example_finish(&example), is_long_prefix);
    cr_assert_eq(explored.run.findings_count, 1);
    const struct finding *finding = &explored.run.findings[0];
    cr_expect_eq(finding->weakest, MODEL_TORN);
    cr_expect_eq(finding->states, 2);
    cr_expect_not_null(strstr(finding->sentence, "2 of its 4 strict prefixes"), "%s",
                       finding->sentence);
    cr_expect_not_null(finding->cause);
}

static bool is_nothing(const struct state *state)
{
    (void)state;
    return false;
}

Test(group, an_honest_run_has_no_findings)
{
    struct example example;
    struct explored explored;
    explore(&explored, make_rewrite(&example), is_nothing);
    cr_expect_eq(explored.run.findings_count, 0);
}

static bool is_after_promise(const struct state *state)
{
    return state->model == MODEL_KILL && state->acked_bytes > 0 && state->op == 2;
}

Test(group, a_promise_given_too_early_is_named_as_what_opens_the_window)
{
    struct example example;
    example_init(&example);
    const uint32_t node = example_create(&example, "log");
    example_promise(&example, "done\n");
    example_write(&example, node, 0, "record");
    struct explored explored;
    explore(&explored, example_finish(&example), is_after_promise);
    cr_assert_eq(explored.run.findings_count, 1);
    cr_expect_str_eq(explored.run.findings[0].missing,
                     "the change of log before the promise on stdout");
}

static void make_numbered(struct example *example, const char *first, const char *second)
{
    example_init(example);
    const char *names[] = {first, second};
    for (int i = 0; i < 2; i++) {
        const uint32_t node = example_create(example, names[i]);
        example_write(example, node, 0, "12345");
    }
    example_finish(example);
}

static bool is_torn(const struct state *state)
{
    return state->model == MODEL_TORN;
}

Test(group, the_same_fault_in_numbered_files_is_one_finding)
{
    struct example example;
    struct explored explored;
    make_numbered(&example, "segment-1", "segment-22");
    explore(&explored, &example.trace, is_torn);
    cr_assert_eq(explored.run.findings_count, 1);
    cr_expect_eq(explored.run.findings[0].states, 8);
}

Test(group, the_same_call_on_unlike_files_is_two_findings)
{
    struct example example;
    struct explored explored;
    make_numbered(&example, "index", "log");
    explore(&explored, &example.trace, is_torn);
    cr_expect_eq(explored.run.findings_count, 2);
}
