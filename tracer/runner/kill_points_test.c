#include "kill_points.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/trace/example_test.h"

static const struct trace *make_log(struct example *example)
{
    example_init(example);
    const uint32_t node = example_create(example, "log");
    char *payload = malloc(5001);
    memset(payload, 'x', 5000);
    payload[5000] = '\0';
    for (uint64_t i = 0; i < 20; i++) {
        example_write(example, node, i * 5000, payload);
        example_sync(example, node);
    }
    free(payload);
    return example_finish(example);
}

Test(kill_points, ten_points_have_an_entry_a_page_edge_an_exit_and_one_near_the_end)
{
    struct example example;
    const struct trace *trace = make_log(&example);
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct record_halt *points = NULL;
        const size_t count = kill_points_draw(trace, 10, seed, &points);
        cr_assert_eq(count, 10);
        int kinds[3] = {0};
        for (size_t i = 0; i < count; i++) {
            kinds[points[i].where]++;
            if (points[i].where == HALT_INSIDE) {
                const struct op *op = &trace->ops[points[i].op];
                cr_expect_eq((op->offset + points[i].bytes) % 4096, 0);
                cr_expect(points[i].bytes > 0 && points[i].bytes < op->payload_size);
            }
        }
        cr_expect(kinds[HALT_BEFORE] && kinds[HALT_INSIDE] && kinds[HALT_AFTER]);
        cr_expect_geq(points[9].op, 36);
        free(points);
    }
    example_fini(&example);
}

Test(kill_points, the_same_seed_gives_the_same_points)
{
    struct example example;
    const struct trace *trace = make_log(&example);
    struct record_halt *once = NULL;
    struct record_halt *again = NULL;
    const size_t count = kill_points_draw(trace, 10, 7, &once);
    cr_assert_eq(kill_points_draw(trace, 10, 7, &again), count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(once[i].op, again[i].op);
        cr_expect_eq(once[i].where, again[i].where);
        cr_expect_eq(once[i].bytes, again[i].bytes);
    }
    free(once);
    free(again);
    example_fini(&example);
}

Test(kill_points, a_trace_of_one_op_gives_its_entry_and_its_exit_and_ends, .timeout = 10)
{
    struct example example;
    example_init(&example);
    example_create(&example, "log");
    struct record_halt *points = NULL;
    const size_t count = kill_points_draw(example_finish(&example), 10, 7, &points);
    cr_expect_eq(count, 2);
    free(points);
    example_fini(&example);
}

Test(kill_points, an_empty_trace_has_none)
{
    struct example example;
    example_init(&example);
    struct record_halt *points = NULL;
    cr_expect_eq(kill_points_draw(example_finish(&example), 10, 7, &points), 0);
    free(points);
    example_fini(&example);
}
