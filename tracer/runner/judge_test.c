#include "judge.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>

#include "tracer/base/own.h"

#define EXITED(code)                                                                               \
    {                                                                                              \
        .end = LAUNCH_ENDED, .status = (code) << 8                                                 \
    }
#define KILLED(number)                                                                             \
    {                                                                                              \
        .end = LAUNCH_ENDED, .status = (number)                                                    \
    }
#define TIMED_OUT                                                                                  \
    {                                                                                              \
        .end = LAUNCH_TIMED_OUT, .status = SIGKILL                                                 \
    }

Test(judge, what_the_ends_of_commands_mean)
{
    const struct {
        const char *label;
        struct outcome outcome;
        enum verdict_kind kind;
        const char *why;
    } rows[] = {
        {"check 0", {.has_check = true, .check = EXITED(0)}, VERDICT_HELD, NULL},
        {"check 1",
         {.has_check = true, .check = EXITED(1)},
         VERDICT_VIOLATED,
         "check exited with 1"},
        {"check killed",
         {.has_check = true, .check = KILLED(SIGABRT)},
         VERDICT_CRASHED,
         "check was killed by signal 6 (SIGABRT)"},
        {"check late",
         {.has_check = true, .check = TIMED_OUT},
         VERDICT_HUNG,
         "check ran into its time limit"},
        {"recovery 1, check 0",
         {.has_recover = true, .recover = EXITED(1), .has_check = true, .check = EXITED(0)},
         VERDICT_HELD,
         NULL},
        {"recovery 1, check 2",
         {.has_recover = true, .recover = EXITED(1), .has_check = true, .check = EXITED(2)},
         VERDICT_VIOLATED,
         "check exited with 2"},
        {"recovery killed",
         {.has_recover = true, .recover = KILLED(SIGSEGV)},
         VERDICT_CRASHED,
         "recovery was killed by signal 11 (SIGSEGV)"},
        {"recovery late",
         {.has_recover = true, .recover = TIMED_OUT},
         VERDICT_HUNG,
         "recovery ran into its time limit"},
        {"recovery alone 1",
         {.has_recover = true, .recover = EXITED(1)},
         VERDICT_VIOLATED,
         "recovery exited with 1"},
        {"recovery twice",
         {.has_recover = true, .recover = EXITED(0), .has_again = true, .again = EXITED(0)},
         VERDICT_HELD,
         NULL},
        {"second recovery 4",
         {.has_recover = true, .recover = EXITED(0), .has_again = true, .again = EXITED(4)},
         VERDICT_VIOLATED,
         "second recovery exited with 4"},
        {"second recovery changes",
         {.has_recover = true,
          .recover = EXITED(0),
          .has_again = true,
          .again = EXITED(0),
          .is_changed = true},
         VERDICT_VIOLATED,
         "second recovery changed the workspace"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *why OWN(own_mem) = NULL;
        cr_expect_eq(judge(&rows[i].outcome, &why), rows[i].kind, "%s", rows[i].label);
        cr_expect_str_eq(why ? why : "", rows[i].why ? rows[i].why : "", "%s", rows[i].label);
    }
}

Test(judge, a_failed_recovery_decides_only_where_there_is_no_check)
{
    const struct outcome failed = {.has_recover = true, .recover = EXITED(1)};
    const struct outcome killed = {.has_recover = true, .recover = KILLED(SIGSEGV)};
    cr_assert(judge_is_decided(&failed, true));
    cr_assert_not(judge_is_decided(&failed, false));
    cr_assert(judge_is_decided(&killed, false));
}
