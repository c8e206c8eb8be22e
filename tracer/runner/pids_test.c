#include "pids.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tracer/trace/example_test.h"

Test(pids, the_widest_stretch_without_recorded_numbers_is_taken)
{
    uint32_t numbers[] = {20000, 5, 400, 20001, 31000, 20000};
    cr_assert_eq(pids_widest(numbers, 6, 300, 32768), 400);
    uint32_t high[] = {301, 302};
    cr_assert_eq(pids_widest(high, 2, 300, 32768), 302);
    cr_assert_eq(pids_widest(NULL, 0, 300, 32768), 300);
    uint32_t beyond[] = {40000, 1000};
    cr_assert_eq(pids_widest(beyond, 2, 300, 32768), 1000);
}

Test(pids, threads_and_pid_files_of_the_trace_are_kept_away)
{
    struct example example;
    example_init(&example);
    example_begin(&example);
    const uint32_t node = example_create(&example, "pid");
    /* Numbers so close together that only one stretch is wide. */
    for (unsigned pid = 1000; pid < 4200000; pid += 50000) {
        char text[32];
        snprintf(text, sizeof text, " %u\n", pid);
        example_write(&example, node, 0, text);
    }
    const uint32_t base = pids_base(example_finish(&example));
    cr_assert(base % 50000 == 1000 || base == 300, "%u", base);
    example_fini(&example);
}
