#include "progress.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/clock.h"

Test(progress, a_plain_line_tells_rate_time_left_and_violations)
{
    const struct progress progress = {.total = 1000, .done = 250, .violations = 1};
    char line[200];
    progress_line(&progress, 50 * CLOCK_SECOND, 0, line, sizeof line);
    cr_expect_str_eq(line, "250 of 1000 states, 5 a second, 2 m 30 s left, 1 violation");
}

Test(progress, the_time_left_is_not_guessed_at_the_beginning)
{
    const struct progress progress = {.total = 1000, .done = 1};
    char line[200];
    progress_line(&progress, CLOCK_SECOND / 2, 0, line, sizeof line);
    cr_expect_str_eq(line, "1 of 1000 states, 2 a second, 0 violations");
}

Test(progress, the_bar_is_as_full_as_the_work)
{
    const struct progress progress = {.total = 4, .done = 1};
    char line[200];
    progress_line(&progress, CLOCK_SECOND / 2, 80, line, sizeof line);
    cr_expect_eq(strncmp(line, "[##......] 1 of 4", 17), 0, "%s", line);
}

Test(progress, quiet_work_prints_nothing)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    struct progress progress;
    progress_begin(&progress, to, true, 2);
    progress.shown_ns = 0;
    progress_step(&progress, true);
    progress_end(&progress);
    fclose(to);
    cr_expect_eq(size, 0);
    cr_expect_eq(progress.violations, 1);
    free(text);
}
