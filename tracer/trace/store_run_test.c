#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store.h"
#include "store_example_test.h"
#include "tracer/base/mem.h"

TestSuite(store_run, .init = store_example_make, .fini = store_example_remove, .timeout = 60);

static const struct state two_states[] = {{.id = "0123456789abcdef",
                                           .model = MODEL_KILL,
                                           .op = 4,
                                           .hash = {UINT64_MAX, 1},
                                           .acked_bytes = UINT64_C(1) << 50,
                                           .sent_messages = 3,
                                           .pairs = {2, 5}},
                                          {.id = "fedcba9876543210",
                                           .model = MODEL_TORN,
                                           .op = 9,
                                           .variant = 77,
                                           .recovery = 3,
                                           .pairs = {0, 1}}};

Test(store_run, states_come_back)
{
    struct store *store = store_example_create();
    struct state *states = NULL;
    size_t count = 0;
    struct err err = {0};
    cr_assert(store_write_states(store, two_states, 2, &err), "%s", err.text);
    cr_assert(store_write_states(store, two_states, 2, &err), "writing again replaces");
    cr_assert(store_read_states(store, &states, &count, &err), "%s", err.text);
    cr_assert_eq(count, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_expect_str_eq(states[i].id, two_states[i].id);
        cr_expect_eq(states[i].model, two_states[i].model);
        cr_expect_eq(states[i].op, two_states[i].op);
        cr_expect_eq(states[i].variant, two_states[i].variant);
        cr_expect_eq(states[i].recovery, two_states[i].recovery);
        cr_expect(tree_hash_equal(states[i].hash, two_states[i].hash));
        cr_expect_eq(states[i].acked_bytes, two_states[i].acked_bytes);
        cr_expect_eq(states[i].sent_messages, two_states[i].sent_messages);
        cr_expect_arr_eq(states[i].pairs, two_states[i].pairs, sizeof states[i].pairs);
    }
    free(states);
    store_close(store);
}

static void put_verdict(struct store *store, const struct verdict *verdict)
{
    struct err err = {0};
    cr_assert(store_put_verdict(store, verdict, &err), "%s", err.text);
}

static void free_verdicts(struct verdict *verdicts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(verdicts[i].output);
        free(verdicts[i].why);
    }
    free(verdicts);
}

Test(store_run, a_verdict_comes_back_and_the_last_one_for_a_state_counts)
{
    struct store *store = store_example_create();
    struct verdict *read = NULL;
    struct err err = {0};
    char output[] = "lost\x01\xff", why[] = "check exited with 1";
    put_verdict(store, &(struct verdict){.state = 1, .kind = VERDICT_HELD});
    put_verdict(store, &(struct verdict){.state = 1,
                                         .kind = VERDICT_CRASHED,
                                         .recover_status = -1,
                                         .check_status = 256,
                                         .elapsed_ns = 9,
                                         .output = output,
                                         .why = why});
    cr_assert(store_flush(store, &err), "%s", err.text);
    cr_assert(store_read_verdicts(store, 3, &read, &err), "%s", err.text);
    cr_expect_eq(read[0].kind, VERDICT_NONE);
    cr_expect_eq(read[2].state, 2);
    cr_expect_eq(read[2].check_status, -1);
    cr_expect_eq(read[1].kind, VERDICT_CRASHED);
    cr_expect_eq(read[1].recover_status, -1);
    cr_expect_eq(read[1].check_status, 256);
    cr_expect_eq(read[1].elapsed_ns, 9);
    cr_expect_str_eq(read[1].output, output);
    cr_expect_str_eq(read[1].why, why);
    free_verdicts(read, 3);
    store_close(store);
}

/* Puts verdicts and is killed without having closed anything. */
static void put_and_die(uint32_t count)
{
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        struct store *store = store_example_open(true);
        struct err err = {0};
        for (uint32_t i = 0; i < count; i++)
            put_verdict(store, &(struct verdict){.state = i, .kind = VERDICT_HELD});
        if (!store_flush(store, &err))
            _exit(1);
        put_verdict(store, &(struct verdict){.state = count, .kind = VERDICT_HELD});
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status));
}

Test(store_run, flushed_verdicts_survive_a_kill_of_brink)
{
    struct store *store = store_example_create();
    struct trace trace;
    struct verdict *read = NULL;
    struct err err = {0};
    store_example_record(store, &trace, 10);
    store_close(store);
    trace_fini(&trace);
    put_and_die(250);
    store = store_example_open(false);
    cr_assert(store_read_verdicts(store, 300, &read, &err), "%s", err.text);
    for (uint32_t i = 0; i < 250; i++)
        cr_assert_eq(read[i].kind, VERDICT_HELD, "state %u", i);
    cr_expect_eq(read[250].kind, VERDICT_NONE, "that one was in no finished transaction");
    free_verdicts(read, 300);
    store_close(store);
}

static struct run some_run(const struct trace *trace)
{
    struct run run = {.trace = trace, .checked = 12, .canary = CANARY_UNNOTICED, .complete = true};
    run.elapsed_ns = 77;
    run.model_wanted[MODEL_TORN] = true;
    run.models[MODEL_TORN] = (struct model_counts){9, true, 8, 7, 6, 5, 4, 3, 2};
    run.verified = (struct verified){.seed = UINT64_MAX, .tried = 4, .equal = 3, .same_shape = 1};
    snprintf(run.verified.skipped, sizeof run.verified.skipped, "the worker used a socket");
    run.notes = mem_new(1, sizeof *run.notes);
    run.notes[run.notes_count++] = mem_string("a note");
    run.check = mem_string("sh check.sh");
    run.findings = mem_new(1, sizeof *run.findings);
    run.findings_count = 1;
    run.findings[0] = (struct finding){.id = "F1",
                                       .key = "9c1e22a07b",
                                       .weakest = MODEL_TORN,
                                       .states = 6,
                                       .depth = 2,
                                       .first = "00112233445566",
                                       .first_is = mem_string("after op 1"),
                                       .op_is = mem_string("write 1 byte"),
                                       .op = 30000, /* of a recovery that is longer than the run */
                                       .call = mem_string("write"),
                                       .path = mem_string("d\nb"),
                                       .sentence = mem_string("a write tears"),
                                       .replay = "7f3a91c2d4",
                                       .output = mem_string("\xff")};
    return run;
}

static void expect_same_finding(const struct finding *a, const struct finding *b)
{
    cr_expect_str_eq(a->id, b->id);
    cr_expect_str_eq(a->key, b->key);
    cr_expect_eq(a->weakest, b->weakest);
    cr_expect_eq(a->states, b->states);
    cr_expect_eq(a->op, b->op);
    cr_expect_eq(a->depth, b->depth);
    cr_expect_str_eq(a->first, b->first);
    cr_expect_str_eq(a->first_is, b->first_is);
    cr_expect_str_eq(a->op_is, b->op_is);
    cr_expect_str_eq(a->call, b->call);
    cr_expect_str_eq(a->path, b->path);
    cr_expect_null(a->where);
    cr_expect_str_eq(a->sentence, b->sentence);
    cr_expect_str_eq(a->replay, b->replay);
    cr_expect_str_eq(a->output, b->output);
}

static void expect_same_run(const struct run *a, const struct run *b)
{
    cr_expect_eq(a->checked, b->checked);
    cr_expect_eq(a->canary, b->canary);
    cr_expect_eq(a->complete, b->complete);
    cr_expect_eq(a->elapsed_ns, b->elapsed_ns);
    cr_expect_not(a->model_wanted[MODEL_KILL]);
    cr_expect(a->model_wanted[MODEL_TORN]);
    const struct model_counts *counts = &a->models[MODEL_TORN];
    cr_expect(counts->legal == 9 && counts->legal_is_bound && counts->tried == 8 &&
              counts->distinct == 7 && counts->violated == 6 && counts->crashed == 5 &&
              counts->hung == 4 && counts->flaky == 3 && counts->known == 2);
    cr_expect_eq(a->verified.seed, b->verified.seed);
    cr_expect_eq(a->verified.same_shape, 1);
    cr_expect_str_eq(a->verified.skipped, b->verified.skipped);
    cr_assert_eq(a->notes_count, 1);
    cr_expect_str_eq(a->notes[0], "a note");
    cr_expect_null(a->recover);
    cr_expect_str_eq(a->check, "sh check.sh");
    cr_assert_eq(a->findings_count, 1);
    expect_same_finding(&a->findings[0], &b->findings[0]);
}

Test(store_run, a_run_comes_back)
{
    struct store *store = store_example_create();
    struct trace trace;
    struct err err = {0};
    store_example_record(store, &trace, 10);
    struct run written = some_run(&trace);
    struct run read = {.trace = &trace, .out = "brink-out"};
    cr_assert(store_write_states(store, two_states, 2, &err), "%s", err.text);
    cr_assert(store_write_run(store, &written, &err), "%s", err.text);
    cr_assert(store_write_run(store, &written, &err), "writing again replaces: %s", err.text);
    cr_assert(store_read_run(store, &read, &err), "%s", err.text);
    expect_same_run(&read, &written);
    cr_expect_eq(read.states_count, 2);
    cr_expect_str_eq(read.out, "brink-out");
    run_fini(&read);
    run_fini(&written);
    trace_fini(&trace);
    store_close(store);
}
