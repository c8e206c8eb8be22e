#include "verdict.h"

#include <criterion/criterion.h>

#include "tracer/base/mem.h"

Test(verdict, every_model_and_every_verdict_has_a_name_of_its_own)
{
    cr_expect_str_eq(model_name(MODEL_KILL), "kill");
    cr_expect_str_eq(model_name(MODEL_TORN), "torn");
    for (int a = 0; a < VERDICT_COUNT; a++) {
        for (int b = 0; b < a; b++)
            cr_expect_str_neq(verdict_name((enum verdict_kind)a),
                              verdict_name((enum verdict_kind)b));
    }
}

Test(verdict, crashed_and_hung_states_are_violations_and_flaky_ones_are_not)
{
    struct run run = {.complete = true};
    run.models[MODEL_KILL].flaky = 100;
    cr_expect_eq(run_result(&run), RUN_HELD);
    run.models[MODEL_KILL].violated = 1;
    run.models[MODEL_KILL].crashed = 20;
    run.models[MODEL_TORN].hung = 300;
    cr_expect_eq(run_violations(&run), 321);
    cr_expect_eq(run_result(&run), RUN_VIOLATED);
}

Test(verdict, a_violation_counts_also_in_a_run_that_was_ended_early)
{
    struct run run = {.complete = false};
    cr_expect_eq(run_result(&run), RUN_PARTIAL);
    run.models[MODEL_TORN].violated = 1;
    cr_expect_eq(run_result(&run), RUN_VIOLATED);
}

Test(verdict, a_run_frees_all_that_it_owns)
{
    struct run run = {.states_count = 1, .notes_count = 1, .findings_count = 1};
    run.states = mem_new(1, sizeof *run.states);
    run.verdicts = mem_new(1, sizeof *run.verdicts);
    run.verdicts[0].output = mem_string("a");
    run.verdicts[0].why = mem_string("b");
    run.notes = mem_new(1, sizeof *run.notes);
    run.notes[0] = mem_string("c");
    run.findings = mem_new(1, sizeof *run.findings);
    run.findings[0] = (struct finding){.call = mem_string("d"), .cause = mem_string("e")};
    run.recover = mem_string("f");
    run_fini(&run);
    cr_expect_null(run.findings);
    run_fini(&run); /* an empty one is fine; the sanitizer sees what was forgotten */
}
