#include "counts.h"

#include <criterion/criterion.h>

Test(counts, a_shared_state_counts_for_each_model_but_is_checked_once)
{
    struct state states[] = {
        {.model = MODEL_KILL, .pairs = {[MODEL_KILL] = 2, [MODEL_TORN] = 5}},
        {.model = MODEL_TORN, .pairs = {[MODEL_TORN] = 1}},
    };
    struct verdict verdicts[] = {{.kind = VERDICT_VIOLATED}, {.kind = VERDICT_HELD}};
    struct run run = {.states = states, .states_count = 2, .verdicts = verdicts};
    run.models[MODEL_KILL].legal = 3;
    run.models[MODEL_TORN].legal = 9;
    counts_fill(&run);
    cr_expect_eq(run.checked, 2);
    cr_expect_eq(run.models[MODEL_KILL].legal, 3);
    cr_expect_eq(run.models[MODEL_KILL].tried, 2);
    cr_expect_eq(run.models[MODEL_KILL].distinct, 1);
    cr_expect_eq(run.models[MODEL_KILL].violated, 1);
    cr_expect_eq(run.models[MODEL_TORN].legal, 9);
    cr_expect_eq(run.models[MODEL_TORN].tried, 6);
    cr_expect_eq(run.models[MODEL_TORN].distinct, 2);
    cr_expect_eq(run.models[MODEL_TORN].violated, 1);
}

Test(counts, a_state_without_a_verdict_was_not_tried)
{
    struct state states[] = {{.model = MODEL_KILL, .pairs = {1}},
                             {.model = MODEL_KILL, .pairs = {1}}};
    struct verdict verdicts[] = {{.kind = VERDICT_NONE}, {.kind = VERDICT_HUNG}};
    struct run run = {.states = states, .states_count = 2, .verdicts = verdicts};
    counts_fill(&run);
    cr_expect_eq(run.checked, 1);
    cr_expect_eq(run.models[MODEL_KILL].tried, 1);
    cr_expect_eq(run.models[MODEL_KILL].distinct, 1);
    cr_expect_eq(run.models[MODEL_KILL].hung, 1);
}

Test(counts, each_kind_of_verdict_has_its_own_count)
{
    struct state states[5];
    struct verdict verdicts[5];
    static const enum verdict_kind kinds[] = {VERDICT_HELD, VERDICT_VIOLATED, VERDICT_CRASHED,
                                              VERDICT_HUNG, VERDICT_FLAKY};
    for (int i = 0; i < 5; i++) {
        states[i] = (struct state){.model = MODEL_TORN, .pairs = {[MODEL_TORN] = 1}};
        verdicts[i] = (struct verdict){.kind = kinds[i]};
    }
    struct run run = {.states = states, .states_count = 5, .verdicts = verdicts};
    counts_fill(&run);
    const struct model_counts *torn = &run.models[MODEL_TORN];
    cr_expect_eq(torn->violated, 1);
    cr_expect_eq(torn->crashed, 1);
    cr_expect_eq(torn->hung, 1);
    cr_expect_eq(torn->flaky, 1);
    cr_expect_eq(torn->distinct, 5);
}
