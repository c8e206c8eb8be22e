#include "group_second.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tracer/states/enumerate.h"
#include "tracer/trace/example_test.h"
#include "tracer/trace/recoveries.h"

/* "log" gets 3 bytes after a promise. Its recovery, begun on both torn states, cuts it to nothing
 * and writes 2 bytes: in between, what was promised is gone. */
struct setting {
    struct example worker, recovery;
    struct run first, second;
};

static struct run run_of(const struct trace *trace, const struct enumerate_options *options)
{
    struct enumerated found;
    struct err err = {0};
    cr_assert(enumerate(trace, options, &found, &err), "%s", err.text);
    struct run run = {.trace = trace,
                      .states = found.states,
                      .states_count = found.count,
                      .verdicts = calloc(found.count + 1, sizeof(struct verdict)),
                      .check = strdup("./check")};
    for (size_t i = 0; i < found.count; i++)
        run.verdicts[i] = (struct verdict){.state = (uint32_t)i, .kind = VERDICT_HELD};
    return run;
}

static void make(struct setting *setting)
{
    example_init(&setting->worker);
    const uint32_t log = example_create(&setting->worker, "log");
    example_begin(&setting->worker);
    example_promise(&setting->worker, "!");
    example_write(&setting->worker, log, 0, "abc");
    example_finish(&setting->worker);
    struct trace *trace = &setting->worker.trace;
    setting->first = run_of(trace, &(struct enumerate_options){.wanted = {true, true}});
    cr_assert_eq(setting->first.states_count, 5);

    example_init(&setting->recovery);
    setting->recovery.trace.nodes = trace->nodes;
    example_op(&setting->recovery,
               (struct op){.kind = OP_TRUNCATE, .call = SYS_ftruncate, .node = log}, "log", NULL);
    example_op(&setting->recovery,
               (struct op){.kind = OP_WRITE,
                           .call = SYS_write,
                           .node = log,
                           .payload = 1,
                           .size = 2,
                           .payload_size = 2},
               "log", NULL);
    example_finish(&setting->recovery);
    setting->recovery.trace.payload_size = trace->payload_size;
    for (uint32_t state = 2; state < 4; state++) {
        const struct trace_recovery about =
            recoveries_of_state(&setting->first.states[state], state);
        recoveries_add(trace, &setting->recovery.trace, trace->nodes, &about);
    }
    /* Depth 1 is taken to have checked the states that it recovered only. */
    setting->first.verdicts[1].kind = VERDICT_NONE;
    setting->second = run_of(trace, &(struct enumerate_options){.wanted = {true, true},
                                                                .want_recoveries = true,
                                                                .known = setting->first.states + 2,
                                                                .known_count = 2});
    setting->first.second = &setting->second;
}

static void unmake(struct setting *setting)
{
    run_fini(&setting->second);
    run_fini(&setting->first);
    example_fini(&setting->worker);
    example_fini(&setting->recovery);
}

Test(group_second, a_window_closes_at_a_state_that_depth_1_has_checked)
{
    struct setting setting;
    struct err err = {0};
    make(&setting);
    cr_assert_eq(setting.second.states_count, 1, "only the empty log is new");
    setting.second.verdicts[0].kind = VERDICT_VIOLATED;
    cr_assert(group_second(&setting.first, &err), "%s", err.text);
    cr_assert_eq(setting.first.findings_count, 1);
    const struct finding *finding = &setting.first.findings[0];
    cr_expect_str_eq(finding->sentence,
                     "in the recovery, a crash after truncate log to 0 bytes (op 1) and before "
                     "write 2 bytes at 0 to log (op 2) leaves a state that the check refuses");
    cr_expect_eq(finding->depth, 2);
    cr_expect_eq(finding->op, 0);
    cr_expect_str_eq(finding->call, "ftruncate");
    cr_expect_str_eq(finding->first, setting.first.states[2].id);
    cr_expect_str_eq(finding->replay, setting.second.states[0].id);
    cr_expect_eq(finding->states, 1);
    unmake(&setting);
}

Test(group_second, what_held_gives_no_finding)
{
    struct setting setting;
    struct err err = {0};
    make(&setting);
    cr_assert(group_second(&setting.first, &err), "%s", err.text);
    cr_expect_eq(setting.first.findings_count, 0);
    unmake(&setting);
}
