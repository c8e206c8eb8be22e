#include "example_run_test.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "tracer/base/clock.h"
#include "tracer/base/mem.h"

static struct trace *example_trace(void)
{
    struct trace *trace = mem_new(1, sizeof *trace);
    trace_init(trace);
    const uint32_t db = strings_add(&trace->strings, "db");
    const uint32_t out = strings_add(&trace->strings, "stdout");
    const struct op ops[] = {
        {.kind = OP_CREATE, .dir = 1, .path = db},
        {.kind = OP_WRITE, .payload_size = 5000, .path = db},
        {.kind = OP_WRITE, .call = SYS_write, .payload_size = 100, .path = db},
        {.kind = OP_SYNC, .call = SYS_fsync, .path = db},
        {.kind = OP_STORE, .payload_size = 11, .path = db},
        {.kind = OP_OUTPUT, .call = SYS_write, .payload_size = 7, .path = out},
    };
    trace->ops = mem_copy(ops, sizeof ops);
    trace->count = sizeof ops / sizeof *ops;
    trace->initial = 2;
    trace->about.argv = mem_new(3, sizeof *trace->about.argv);
    trace->about.argv[0] = mem_string("./worker");
    trace->about.argv[1] = mem_string("a b\xff");
    trace->about.processes = 1;
    trace->about.elapsed_ns = 40 * CLOCK_MS;
    trace->about.notes = mem_new(1, sizeof *trace->about.notes);
    trace->about.notes[0] = mem_string("writes outside: /var/\x1b[2Jlog");
    trace->about.notes_count = 1;
    return trace;
}

static void add_finding(struct run *run)
{
    run->findings = mem_new(1, sizeof *run->findings);
    run->findings_count = 1;
    run->findings[0] = (struct finding){
        .id = "F1",
        .key = "9c1e22a07b000000",
        .weakest = MODEL_TORN,
        .states = 6,
        .op = 2,
        .call = mem_string("write"),
        .path = mem_string("d\n<b>"),
        .where = mem_string("store.c:214 save"),
        .missing = mem_string("a checksum"),
        .sentence = mem_string("a write to \"db\" & others can stop <part-way>"),
        .cause = mem_string("a full disk"),
        .replay = "7f3a91c2d4aaaaaa",
        .why = mem_string("check exited with 1"),
        .output = mem_string("line 1\n\x1b[31m\xff\x01]]>&\nline 3\n4\n5\n6\nline 7\n"),
    };
}

struct run *example_run(void)
{
    struct run *run = mem_new(1, sizeof *run);
    run->trace = example_trace();
    run->complete = true;
    run->canary = CANARY_NOTICED;
    run->checked = 3;
    run->elapsed_ns = 310 * CLOCK_MS;
    run->out = "brink-out";
    run->check = mem_string("sh check.sh");
    run->verified = (struct verified){.seed = 7, .tried = 10, .equal = 10};
    run->model_wanted[MODEL_TORN] = true;
    run->models[MODEL_TORN] = (struct model_counts){.legal = 10, .tried = 6, .distinct = 3};
    run->models[MODEL_TORN].violated = 1;
    run->states_count = 3;
    run->states = mem_new(3, sizeof *run->states);
    run->verdicts = mem_new(3, sizeof *run->verdicts);
    static const char *const ids[] = {"7f3a91c2d4aaaaaa", "0000000000000000", "1111111111111111"};
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(run->states[i].id, ids[i], STATE_ID_SIZE);
        run->verdicts[i] = (struct verdict){.state = i, .kind = VERDICT_HELD};
    }
    run->verdicts[0].kind = VERDICT_VIOLATED;
    run->notes = mem_new(1, sizeof *run->notes);
    run->notes[run->notes_count++] = mem_string("a note of the run");
    add_finding(run);
    return run;
}

void example_run_free(struct run *run)
{
    struct trace *trace;
    memcpy(&trace, &run->trace, sizeof trace); /* const for everybody else */
    run_fini(run);
    trace_fini(trace);
    free(trace);
    free(run);
}

char *example_report(const struct report *report, const struct run *run)
{
    char *text = NULL;
    size_t size = 0;
    struct err err = {0};
    FILE *file = open_memstream(&text, &size);
    cr_assert_not_null(file);
    cr_assert(report->write(file, run, &err), "%s", err.text);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(strlen(text), size);
    return text;
}
