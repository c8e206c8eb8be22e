#include "words.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "example_run_test.h"

static void expect_replay(const struct run *run, const char *expected)
{
    char *line = words_replay(run, &run->findings[0]);
    cr_expect_str_eq(line, expected);
    free(line);
}

Test(words, the_replay_line_names_the_folder_only_when_it_is_another)
{
    struct run *run = example_run();
    expect_replay(run, "brink replay 7f3a91c2d4");
    run->out = "out of/here";
    expect_replay(run, "brink replay --run 'out of/here' 7f3a91c2d4");
    example_run_free(run);
}

Test(words, the_replay_line_has_as_many_digits_as_tell_the_state_from_others)
{
    struct run *run = example_run();
    memcpy(run->states[2].id, "7f3a91c2d4abbbbb", STATE_ID_SIZE);
    expect_replay(run, "brink replay 7f3a91c2d4aa");
    example_run_free(run);
}

Test(words, a_state_that_two_models_have_is_violated_once)
{
    struct run *run = example_run();
    run->models[MODEL_KILL].violated = 1;
    cr_expect_eq(run_violations(run), 2);
    cr_expect_eq(words_violated(run), 1);
    example_run_free(run);
}

Test(words, results_and_canaries_have_the_words_of_the_schema)
{
    struct run run = {.complete = true};
    cr_expect_str_eq(words_result(&run), "held");
    run.complete = false;
    cr_expect_str_eq(words_result(&run), "partial");
    cr_expect_str_eq(words_canary(CANARY_OFF), "off");
    cr_expect_str_eq(words_canary(CANARY_NOTICED), "noticed");
    cr_expect_str_eq(words_canary(CANARY_UNNOTICED), "unnoticed");
}
