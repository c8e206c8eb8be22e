/* Recoveries in a store. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>

#include "recoveries.h"
#include "store.h"
#include "store_example_test.h"
#include "tracer/base/mem.h"

TestSuite(store_recoveries, .init = store_example_make, .fini = store_example_remove,
          .timeout = 60);

/* A trace in which one recovery does what ops 2 and 3 of the worker did. */
static void record(struct store *store, struct trace *trace)
{
    store_example_record(store, trace, 100);
    trace->recovery_ops = mem_new(2, sizeof *trace->recovery_ops);
    trace->recovery_ops_count = 2;
    for (uint32_t i = 0; i < 2; i++) {
        trace->recovery_ops[i] = trace->ops[2 + i];
        trace->recovery_ops[i].enter = 0;
        trace->recovery_ops[i].flags = 0;
    }
    trace->recoveries = mem_new(1, sizeof *trace->recoveries);
    trace->recoveries_count = 1;
    trace->recoveries[0] = (struct trace_recovery){.count = 2,
                                                   .state = 7,
                                                   .op = trace->initial + 1,
                                                   .variant = 5,
                                                   .id = UINT64_MAX,
                                                   .acked_bytes = 9,
                                                   .sent_messages = 3,
                                                   .model = 1};
}

/* The trace in a second store, whose payload is that of the first. */
static struct store *write_again(const struct trace *trace)
{
    struct store *store = store_example_create();
    struct err err = {0};
    cr_assert(store_write_trace(store, trace, &err), "%s", err.text);
    return store;
}

Test(store_recoveries, they_come_back_with_their_ops)
{
    struct store *store = store_example_create();
    struct trace written, read;
    struct err err = {0};
    record(store, &written);
    store_close(store);
    store = write_again(&written);
    trace_init(&read);
    cr_assert(store_read_trace(store, &read, &err), "%s", err.text);
    cr_assert_eq(read.recoveries_count, 1);
    cr_assert_eq(read.recovery_ops_count, 2);
    cr_expect_eq(read.recoveries[0].count, 2);
    cr_expect_eq(read.recoveries[0].state, 7);
    cr_expect_eq(read.recoveries[0].op, written.initial + 1);
    cr_expect_eq(read.recoveries[0].variant, 5);
    cr_expect_eq(read.recoveries[0].id, UINT64_MAX);
    cr_expect_eq(read.recoveries[0].acked_bytes, 9);
    cr_expect_eq(read.recoveries[0].sent_messages, 3);
    cr_expect_eq(read.recoveries[0].model, 1);
    cr_expect_eq(read.recovery_ops[1].kind, written.ops[3].kind);
    cr_expect_eq(read.recovery_ops[1].time_ns, written.ops[3].time_ns);
    trace_fini(&read);
    trace_fini(&written);
    store_close(store);
}

Test(store_recoveries, ops_that_are_not_there_are_damage)
{
    struct store *store = store_example_create();
    struct trace written, read;
    struct err err = {0};
    record(store, &written);
    written.recoveries[0].count = 3;
    store_close(store);
    store = write_again(&written);
    trace_init(&read);
    cr_expect_not(store_read_trace(store, &read, &err));
    cr_expect_str_eq(err.text, "run.db is damaged: its table of recoveries");
    trace_fini(&written);
    store_close(store);
}
