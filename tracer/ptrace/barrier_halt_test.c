#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "trial_test.h"

#define LIMIT .timeout = 120
#define HEADERS                                                                                    \
    "#include <fcntl.h>\n#include <stdio.h>\n#include <sys/uio.h>\n#include <unistd.h>\n#include " \
    "<sys/wait.h>\n#include <pthread.h>\n"

/* Two records, the second one in three pieces. */
static const char worker[] = HEADERS
    "int main() { int d = open(\"a.log\", O_CREAT | O_WRONLY, 0644);\n"
    "write(d, \"id=1 ACTION_CONFIRMED\\n\", 22); fsync(d);\n"
    "write(d, \"id=2 ACTION_\", 12); write(d, \"CONF\", 4); write(d, \"IRMED\\nmore\", 10);\n"
    "fsync(d); rename(\"a.log\", \"b.log\"); write(1, \"DONE\\n\", 5); return 7; }\n";

struct halting {
    struct trial recording;
    struct barrier barrier;
    struct record_halted halted;
    char *program;
    bool is_done;
};

static void run(struct halting *halting, const char *source, const char *words)
{
    struct trial *recording = &halting->recording;
    struct err err = {0};
    halting->halted = (struct record_halted){0};
    trial_init(recording, NULL);
    halting->program = trial_compile(recording, source);
    cr_assert(barrier_parse(words, &halting->barrier, &err), "%s", err.text);
    recording->options.barrier = &halting->barrier;
    recording->options.halted = &halting->halted;
    recording->options.want_backtrace = true;
    const char *const argv[] = {halting->program, NULL};
    halting->is_done = trial_run(recording, argv);
}

static void fini(struct halting *halting)
{
    free(halting->program);
    barrier_fini(&halting->barrier);
    trial_fini(&halting->recording);
}

/* The content of a file in the workspace; caller frees. */
static char *content(const struct halting *halting, const char *name)
{
    char *path OWN(own_mem) = mem_format("%s/%s", halting->recording.workspace, name);
    char *text = mem_new(4096, 1);
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file, "%s is not there", path);
    text[fread(text, 1, 4095, file)] = '\0';
    fclose(file);
    return text;
}

static char *payload(const struct halting *halting)
{
    const struct op *op = &halting->halted.op;
    struct err err = {0};
    char *text = mem_new(op->payload_size + 1, 1);
    cr_assert(trace_read(&halting->recording.trace, op->payload, text, op->payload_size, &err));
    return text;
}

#define BEGIN "id=1 ACTION_CONFIRMED\nid=2 ACTION_CONF"

static const struct {
    const char *words, *content;
    uint64_t done;
    int status;
} PLACES[] = {
    {"write path=*.log contains=ACTION_CONFIRMED nth=2", BEGIN, 0, SIGKILL},
    {"write path=*.log contains=ACTION_CONFIRMED nth=2 where=inside bytes=3", BEGIN "IRM", 3,
     SIGKILL},
    {"write contains=/id=2.*CONFIRMED/ where=after", BEGIN "IRMED\nmore", 10, SIGKILL},
    {"write contains=ACTION_CONFIRMED nth=2 do=exit:23", BEGIN, 0, 23 << 8},
    {"write contains=ACTION_CONFIRMED nth=2 where=inside bytes=3 do=exit:23", BEGIN "IRM", 3,
     23 << 8},
    {"write contains=ACTION_CONFIRMED nth=2 where=after do=exit:0", BEGIN "IRMED\nmore", 10, 0},
    {"sync covers=/id=2.*CONFIRMED/", BEGIN "IRMED\nmore", 0, SIGKILL},
    {"rename path=b.log", BEGIN "IRMED\nmore", 0, SIGKILL},
};

Test(barrier_halt, the_worker_ends_where_the_barrier_says_and_as_it_says, LIMIT)
{
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        struct halting halting;
        run(&halting, worker, PLACES[i].words);
        cr_assert(halting.is_done, "%s: %s", PLACES[i].words, halting.recording.err.text);
        cr_expect_eq(halting.recording.end, RECORD_HALTED, "%s", PLACES[i].words);
        cr_expect_eq(halting.halted.status, PLACES[i].status, "%s: status %#x", PLACES[i].words,
                     halting.halted.status);
        cr_expect_eq(halting.recording.trace.about.wait_status, PLACES[i].status);
        cr_expect_eq(halting.halted.done, PLACES[i].done, "%s", PLACES[i].words);
        cr_expect_eq(halting.halted.processes, 1);
        char *left OWN(own_mem) = content(&halting, "a.log");
        cr_expect_str_eq(left, PLACES[i].content, "%s: %s", PLACES[i].words, left);
        char *difference OWN(own_mem) =
            trial_difference(&halting.recording, halting.recording.trace.count, 0);
        cr_expect_null(difference, "%s: %s", PLACES[i].words, difference);
        fini(&halting);
    }
}

Test(barrier_halt, what_was_halted_is_told_with_all_its_bytes_and_its_place_in_the_source, LIMIT)
{
    struct halting halting;
    run(&halting, worker, "write contains=ACTION_CONFIRMED nth=2 where=inside bytes=3");
    cr_assert(halting.is_done, "%s", halting.recording.err.text);
    char *bytes OWN(own_mem) = payload(&halting);
    cr_expect_str_eq(bytes, "IRMED\nmore");
    cr_expect_eq(halting.halted.reached, 2);
    cr_expect_str_eq(op_call_name(&halting.halted.op), "write");
    cr_expect_str_eq(trace_string(&halting.recording.trace, halting.halted.op.path), "a.log");
    char *where OWN(own_mem) = trace_where(&halting.recording.trace, &halting.halted.op);
    cr_expect(where != NULL && strstr(where, "main") != NULL, "%s", where);
    fini(&halting);
}

static const char *const SYNCED[] = {
    "write contains=ACTION_CONFIRMED nth=2 where=inside bytes=3 sync",
    "write contains=ACTION_CONFIRMED nth=2 sync do=exit:23",
    "write contains=ACTION_CONFIRMED nth=2 where=after sync do=exit:23",
};

Test(barrier_halt, a_sync_that_is_asked_for_is_done_after_what_was_written, LIMIT)
{
    for (size_t i = 0; i < sizeof SYNCED / sizeof *SYNCED; i++) {
        struct halting halting;
        run(&halting, worker, SYNCED[i]);
        cr_assert(halting.is_done, "%s: %s", SYNCED[i], halting.recording.err.text);
        const struct trace *trace = &halting.recording.trace;
        uint32_t last = trace->count - 1;
        while (last > 0 && trace->ops[last].kind == OP_EXIT)
            last--;
        cr_expect(halting.halted.has_synced, "%s", SYNCED[i]);
        cr_expect_eq(trace->ops[last].kind, OP_SYNC, "%s: kind %d", SYNCED[i],
                     trace->ops[last].kind);
        cr_expect_eq(trace->ops[last].node, halting.halted.op.node);
        cr_expect_eq(trace->ops[last - 1].kind, OP_WRITE, "%s", SYNCED[i]);
        cr_expect_eq(trace->ops[last].enter, last);
        fini(&halting);
    }
}

Test(barrier_halt, a_barrier_that_is_not_reached_leaves_the_worker_alone, LIMIT)
{
    struct halting halting;
    run(&halting, worker, "write contains=ACTION_CONFIRMED nth=3");
    cr_assert(halting.is_done, "%s", halting.recording.err.text);
    cr_expect_eq(halting.recording.end, RECORD_MISSED);
    cr_expect_eq(halting.recording.trace.about.wait_status, 7 << 8);
    fini(&halting);
}

Test(barrier_halt, stdout_is_a_stream_to_halt_at_as_well, LIMIT)
{
    struct halting halting;
    run(&halting, worker, "write path=stdout contains=DONE");
    cr_assert(halting.is_done, "%s", halting.recording.err.text);
    cr_expect_eq(halting.recording.end, RECORD_HALTED);
    cr_expect_eq(trial_count(&halting.recording, OP_OUTPUT), 0);
    cr_expect_eq(trial_count(&halting.recording, OP_RENAME), 1);
    fini(&halting);
}

static const struct {
    const char *words, *message;
} IMPOSSIBLE[] = {
    {"write contains='id=2 ACTION_' where=inside bytes=12",
     "the barrier is inside a call of write after 12 bytes, but the call has 12"},
    {"write contains=DONE sync", "barrier: sync of stdout: Invalid argument"},
};

Test(barrier_halt, what_cannot_be_done_at_a_barrier_is_an_error, LIMIT)
{
    for (size_t i = 0; i < sizeof IMPOSSIBLE / sizeof *IMPOSSIBLE; i++) {
        struct halting halting;
        run(&halting, worker, IMPOSSIBLE[i].words);
        cr_expect_not(halting.is_done);
        cr_expect_eq(halting.recording.err.kind, ERR_USAGE);
        cr_expect_not_null(strstr(halting.recording.err.text, IMPOSSIBLE[i].message), "%s",
                           halting.recording.err.text);
        fini(&halting);
    }
}

/* Each of four processes of two threads appends lines; one of them comes to the fortieth. */
static const char crowd[] =
    HEADERS "static int d; static void *work(void *a) { (void)a;\n"
            "for (int i = 0; i < 200; i++) write(d, \"line\\n\", 5); return 0; }\n"
            "int main() { d = open(\"f\", O_CREAT | O_APPEND | O_WRONLY, 0644);\n"
            "for (int p = 0; p < 4; p++) { if (fork() == 0) { pthread_t t;\n"
            "pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); _exit(0); } }\n"
            "while (wait(0) > 0) { } return 0; }\n";

static const char *const CROWDED[] = {"write path=f nth=40", "write path=f nth=40 do=exit:23",
                                      "write path=f contains=line nth=40 where=inside bytes=2 sync "
                                      "do=exit:23"};

Test(barrier_halt, nothing_of_many_threads_and_processes_happens_after_the_barrier, LIMIT)
{
    static const size_t sizes[] = {195, 195, 197};
    for (size_t i = 0; i < sizeof CROWDED / sizeof *CROWDED; i++) {
        struct halting halting;
        run(&halting, crowd, CROWDED[i]);
        cr_assert(halting.is_done, "%s: %s", CROWDED[i], halting.recording.err.text);
        cr_expect_eq(halting.recording.end, RECORD_HALTED);
        char *left OWN(own_mem) = content(&halting, "f");
        cr_expect_eq(strlen(left), sizes[i], "%s: %zu", CROWDED[i], strlen(left));
        cr_expect_geq(halting.halted.processes, 2);
        cr_expect_eq(halting.halted.status, i == 0 ? SIGKILL : 23 << 8);
        fini(&halting);
    }
}
