#include <criterion/criterion.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "example_run_test.h"
#include "page.h"
#include "tracer/base/mem.h"

static void expect_has(const char *text, const char *part)
{
    cr_expect_not_null(strstr(text, part), "no '%s' in\n%s", part, text);
}

Test(terminal, a_violated_run_is_told_in_full_and_on_one_line_each)
{
    struct run *run = example_run();
    char *text = example_report(&report_terminal, run);
    static const char *const parts[] = {
        "VIOLATED: 1 of 3 crash states (torn) did not hold, by 1 cause.\n",
        "  worker:   ./worker $'a b\\xff'\n",
        "  recorded: 4 ops, 1 sync, 111 bytes written, by 1 process in 0.04 s\n",
        "  check:    sh check.sh\n",
        "\nF1  a write to \"db\" & others can stop <part-way>\n",
        "    op:       1, write 100 bytes at 0 to db\n",
        "    where:    store.c:214 save\n",
        "    missing:  a checksum\n",
        "    cause:    a full disk\n",
        "    outcome:  check exited with 1\n",
        "      | line 1\n      | \\x1b[31m\\xff\\x01]]>&\n",
        "      | 6\n      | ...\n",
        "    again:    brink replay 7f3a91c2d4\n",
        "  not tried: 4 of 10 torn states (--budget 0 tries all)\n",
        "  verified by kill: 10 of 10 real kills left the predicted workspace (seed 7)\n",
        "  note: writes outside: /var/\\x1b[2Jlog\n",
        "  note: a note of the run\n",
        "  report: brink-out (summary.json, junit.xml, run.db, states/), 0.31 s\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect_has(text, parts[i]);
    cr_expect_null(strchr(text, '\x1b'), "no byte of the worker's reaches the terminal raw");
    free(text);
    example_run_free(run);
}

static void hold(struct run *run)
{
    run->models[MODEL_TORN].violated = 0;
    run->verdicts[0].kind = VERDICT_HELD;
}

Test(terminal, a_held_run_says_so_and_a_cut_short_one_does_not)
{
    struct run *run = example_run();
    hold(run);
    char *text = example_report(&report_terminal, run);
    expect_has(text, "HELD: no violation in the 3 crash states that were checked (torn).\n");
    free(text);
    run->complete = false;
    text = example_report(&report_terminal, run);
    expect_has(text, "PARTIAL: no violation in the 3 crash states that were checked (torn).\n");
    expect_has(text, "--resume");
    free(text);
    example_run_free(run);
}

Test(terminal, what_lowers_trust_is_said)
{
    struct run *run = example_run();
    hold(run);
    run->canary = CANARY_UNNOTICED;
    run->verdicts[1].kind = VERDICT_FLAKY;
    run->verified = (struct verified){.skipped = "the worker used a socket"};
    char *text = example_report(&report_terminal, run);
    expect_has(text, "warning: the check noticed neither");
    expect_has(text, "flaky: 1 state gave two different answers");
    expect_has(text, "verified by kill: skipped: the worker used a socket\n");
    free(text);
    example_run_free(run);
}

/* What a paragraph looks like on a terminal of so many columns. */
static char *on_terminal(unsigned short columns, const char *lead, const char *text)
{
    const struct winsize size = {.ws_col = columns, .ws_row = 24};
    int outer, inner;
    cr_assert_eq(openpty(&outer, &inner, NULL, NULL, &size), 0);
    FILE *file = fdopen(inner, "w");
    const struct page page = page_of(file);
    page_paragraph(&page, lead, text);
    fclose(file);
    /* It may come in pieces, and ends with EIO when nobody holds the terminal any more. */
    char *got = mem_new(4096, 1);
    size_t taken = 0;
    for (ssize_t more = 0; (more = read(outer, got + taken, 4095 - taken)) > 0;)
        taken += (size_t)more;
    close(outer);
    return got;
}

Test(terminal, lines_wrap_at_spaces_below_their_text_on_a_terminal, .timeout = 10)
{
    char *got = on_terminal(40, "  note: ",
                            "ääää bbbb cccc dddd eeee ffff gggg hhhh "
                            "a-word-that-is-longer-than-any-line-may-be-at-all z");
    cr_expect_str_eq(got, "  note: ääää bbbb cccc dddd eeee ffff\r\n"
                          "        gggg hhhh\r\n"
                          "        a-word-that-is-longer-than-any-line-may-be-at-all\r\n"
                          "        z\r\n");
    free(got);
}

Test(terminal, a_line_that_just_fits_is_not_wrapped, .timeout = 10)
{
    char *got = on_terminal(40, "", "0123456789 0123456789 0123456789 0123456");
    cr_expect_str_eq(got, "0123456789 0123456789 0123456789 0123456\r\n");
    free(got);
}

Test(terminal, colours_are_for_terminals_without_NO_COLOR, .timeout = 10)
{
    int outer, inner;
    cr_assert_eq(openpty(&outer, &inner, NULL, NULL, NULL), 0);
    FILE *terminal = fdopen(inner, "w");
    FILE *file = tmpfile();
    unsetenv("NO_COLOR");
    cr_expect(report_wants_colour(terminal));
    cr_expect_not(report_wants_colour(file));
    setenv("NO_COLOR", "1", 1);
    cr_expect_not(report_wants_colour(terminal));
    fclose(file);
    fclose(terminal);
    close(outer);
}

Test(terminal, every_report_is_found_by_its_name)
{
    cr_expect_eq(report_find("json"), &report_json);
    cr_expect_eq(report_find("junit"), &report_junit);
    cr_expect_eq(report_find("terminal"), &report_terminal);
    cr_expect_null(report_find("yaml"));
}

Test(terminal, the_recovery_has_a_block_of_its_own_and_counts_for_the_verdict)
{
    struct run *run = example_run();
    struct run second = {.trace = run->trace, .checked = 4, .complete = true};
    hold(run);
    second.model_wanted[MODEL_TORN] = true;
    second.models[MODEL_TORN] = (struct model_counts){.legal = 9, .tried = 7, .known = 3};
    run->second = &second;
    run->findings[0].depth = 2;
    run->findings[0].first_is = mem_string("after op 1");
    run->findings[0].op_is = mem_string("write 9 bytes");
    char *text = example_report(&report_terminal, run);
    expect_has(text,
               "HELD: no violation in the 7 crash states that were checked (torn, depth 2).\n");
    expect_has(text, "    op:       3 of the recovery, write 9 bytes\n");
    expect_has(text, ": after op 1\n");
    expect_has(text, "  the recovery, killed in its turn: recorded on 0 states\n");
    expect_has(text, "  not tried: 2 of 9 torn states of the recovery (--budget 0 tries all)\n");
    free(text);
    second.models[MODEL_TORN].violated = 1;
    text = example_report(&report_terminal, run);
    expect_has(text, "VIOLATED: ");
    free(text);
    run->second = NULL;
    example_run_free(run);
}
