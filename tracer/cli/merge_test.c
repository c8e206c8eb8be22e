#include "merge.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct verdict verdict_of(enum verdict_kind kind, uint32_t state)
{
    return (struct verdict){.kind = kind, .state = state};
}

Test(merge, verdicts_go_to_the_state_with_their_id)
{
    struct state all[] = {{.id = "cc"}, {.id = "aa"}, {.id = "bb"}};
    struct verdict none[3] = {{.state = 0}, {.state = 1}, {.state = 2}};
    struct run whole = {.states = all, .states_count = 3, .verdicts = none};
    struct state some[] = {{.id = "bb"}, {.id = "cc"}};
    struct verdict known[] = {verdict_of(VERDICT_HELD, 0), verdict_of(VERDICT_HUNG, 1)};
    known[1].why = strdup("slow");
    struct run part = {.states = some, .states_count = 2, .verdicts = known};
    cr_expect_eq(merge_verdicts(&whole, &part), 0);
    cr_expect_eq(none[0].kind, VERDICT_HUNG);
    cr_expect_eq(none[0].state, 0);
    cr_expect_str_eq(none[0].why, "slow");
    cr_expect_null(known[1].why);
    cr_expect_eq(none[1].kind, VERDICT_NONE);
    cr_expect_eq(none[2].kind, VERDICT_HELD);
    cr_expect_eq(none[2].state, 2);
    free(none[0].why);
}

Test(merge, two_answers_for_one_state_are_flaky)
{
    struct state state = {.id = "aa"};
    struct verdict whole_verdict = verdict_of(VERDICT_HELD, 0);
    struct verdict part_verdict = verdict_of(VERDICT_VIOLATED, 0);
    struct run whole = {.states = &state, .states_count = 1, .verdicts = &whole_verdict};
    struct run part = {.states = &state, .states_count = 1, .verdicts = &part_verdict};
    cr_expect_eq(merge_verdicts(&whole, &part), 0);
    cr_expect_eq(whole_verdict.kind, VERDICT_FLAKY);
    free(whole_verdict.why);
}

Test(merge, verdicts_without_a_state_are_counted_not_lost_silently)
{
    struct state known = {.id = "aa"};
    struct state stranger = {.id = "zz"};
    struct verdict whole_verdict = verdict_of(VERDICT_NONE, 0);
    struct verdict part_verdict = verdict_of(VERDICT_HELD, 0);
    struct run whole = {.states = &known, .states_count = 1, .verdicts = &whole_verdict};
    struct run part = {.states = &stranger, .states_count = 1, .verdicts = &part_verdict};
    cr_expect_eq(merge_verdicts(&whole, &part), 1);
    cr_expect_eq(whole_verdict.kind, VERDICT_NONE);
}

Test(merge, figures_add_up_and_equal_notes_stay_one)
{
    char *first_notes[] = {(char[]){"a"}};
    char *second_notes[] = {(char[]){"a"}, (char[]){"b"}};
    struct run first = {.elapsed_ns = 5,
                        .notes = first_notes,
                        .notes_count = 1,
                        .verified = {.seed = 7, .tried = 10, .equal = 9, .unstable = 1},
                        .canary = CANARY_NOTICED};
    struct run second = {.elapsed_ns = 6,
                         .notes = second_notes,
                         .notes_count = 2,
                         .verified = {.seed = 8, .tried = 10, .equal = 10},
                         .canary = CANARY_UNNOTICED};
    struct run whole = {0};
    merge_figures(&whole, &first);
    merge_figures(&whole, &second);
    cr_expect_eq(whole.elapsed_ns, 11);
    cr_expect_eq(whole.verified.seed, 7);
    cr_expect_eq(whole.verified.tried, 20);
    cr_expect_eq(whole.verified.equal, 19);
    cr_expect_eq(whole.verified.unstable, 1);
    cr_expect_eq(whole.canary, CANARY_UNNOTICED);
    cr_assert_eq(whole.notes_count, 2);
    cr_expect_str_eq(whole.notes[1], "b");
    run_fini(&whole);
}

Test(merge, a_missing_shard_is_named)
{
    uint32_t missing = 99;
    const uint32_t all[] = {2, 0, 1, 0};
    cr_expect(merge_is_whole(all, 4, 3, &missing));
    cr_expect_not(merge_is_whole(all, 2, 3, &missing));
    cr_expect_eq(missing, 1);
}
