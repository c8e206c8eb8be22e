#include "job.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/clock.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/ptrace/record.h"
#include "tracer/trace/example_test.h"

/* A worker that writes "a", "ab", "abc" ... to db and says so each time on stdout; initially db is
 * empty, and there is a file lock with the number 12345. */
enum { STEPS = 6 };

static char base[] = "/tmp/job-test-XXXXXX";
static char *workspace;
static struct example example;
static struct janitor *janitor;
static struct state states[2 * STEPS + 1];
static uint32_t order[2 * STEPS + 1];
static struct verdict verdicts[2 * STEPS + 1];
static size_t count;
static size_t told;
static bool complete;
static char *note;

static void take(void *context, const struct verdict *verdict)
{
    (void)context;
    told += verdict->kind != VERDICT_NONE;
}

static struct job_options options = {.timeout_ns = 20 * CLOCK_SECOND, .jobs = 2, .done = take};

static void make_trace(void)
{
    example_init(&example);
    const uint32_t lock = example_create(&example, "lock");
    example_write(&example, lock, 0, "12345\n");
    const uint32_t db = example_create(&example, "db");
    example_begin(&example);
    for (unsigned i = 0; i < STEPS; i++) {
        const char text[] = {(char)('a' + i), '\0'};
        example_write(&example, db, i, text);
        example_promise(&example, i % 2 ? "odd\n" : "even\n");
    }
    options.trace = example_finish(&example);
}

static void make_states(void)
{
    const struct trace *trace = options.trace;
    for (uint32_t k = trace->initial; k; k = trace_next_point(trace, k)) {
        const struct trace_promised promised = trace_promised(trace, k);
        states[count] = (struct state){
            .op = k, .acked_bytes = promised.acked_bytes, .sent_messages = promised.sent_messages};
        snprintf(states[count].id, sizeof states[count].id, "%016zx", count);
        order[count] = (uint32_t)count;
        count++;
    }
    cr_assert_eq(count, 2 * STEPS + 1);
}

static void make(void)
{
    struct err err = {0};
    cr_assert(mkdtemp(base));
    cr_assert_eq(setenv("TMPDIR", base, 1), 0);
    workspace = mem_format("%s/ws", base);
    cr_assert_eq(mkdir(workspace, 0755), 0);
    make_trace();
    make_states();
    cr_assert(janitor_start(&janitor, &err), "%s", err.text);
    options.janitor = janitor;
    options.workspace = workspace;
}

static void unmake(void)
{
    struct err err = {0};
    janitor_end(janitor);
    example_fini(&example);
    cr_assert_eq(rmdir(workspace), 0, "the workspace is not as it was");
    cr_assert_eq(rmdir(base), 0, "something is left in %s", base);
    for (size_t i = 0; i < count; i++) {
        free(verdicts[i].output);
        free(verdicts[i].why);
    }
    free(workspace);
    free(note);
    (void)err;
}

TestSuite(job, .init = make, .fini = unmake, .timeout = 60);

static bool run(const char *recover, const char *check, struct err *err)
{
    struct command commands[2] = {{0}};
    cr_assert(!recover || command_parse(recover, &commands[0], err), "%s", err->text);
    cr_assert(!check || command_parse(check, &commands[1], err), "%s", err->text);
    options.recover = recover ? &commands[0] : NULL;
    options.check = check ? &commands[1] : NULL;
    const struct job_states list = {states, order, count, verdicts};
    const bool is_done = job_run(&options, &list, &complete, &note, err);
    command_fini(&commands[0]);
    command_fini(&commands[1]);
    return is_done;
}

static void expect_all(enum verdict_kind kind)
{
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(verdicts[i].kind, kind, "state %zu: %s: %s: %s", i,
                     verdict_name(verdicts[i].kind), verdicts[i].why ? verdicts[i].why : "",
                     verdicts[i].output ? verdicts[i].output : "");
    }
}

static void run_and_expect(const char *recover, const char *check, enum verdict_kind kind)
{
    struct err err = {0};
    cr_assert(run(recover, check, &err), "%s", err.text);
    cr_assert(complete);
    cr_assert_eq(told, count);
    told = 0;
    expect_all(kind);
}

Test(job, each_state_stands_at_the_workspace_with_its_promises)
{
    /* State n has (n + 1) / 2 letters and n / 2 promises. */
    run_and_expect(
        NULL,
        "n=$(printf %d 0x$BRINK_STATE); test $(pwd) = $BRINK_WORKSPACE && "
        "test $(wc -c <db) = $(((n + 1) / 2)) && test $(wc -l <$BRINK_ACKED) = $((n / 2)) "
        "&& test $BRINK_MODEL = kill && test ! -s $BRINK_SENT && grep -q 12345 lock",
        VERDICT_HELD);
}

Test(job, what_commands_do_to_a_state_is_gone_before_the_next)
{
    run_and_expect("echo junk >>db; rm lock; mkdir -p d/e; ln -s db l; "
                   "chmod 0 d; echo more >>$BRINK_ACKED; rm -f $BRINK_SENT; touch ${BRINK_ACKED}2",
                   "n=$(printf %d 0x$BRINK_STATE); test ! -e lock && "
                   "test $(wc -c <db) = $(((n + 1) / 2 + 5)) && "
                   "test $(wc -l <$BRINK_ACKED) = $((n / 2 + 1))",
                   VERDICT_HELD);
}

Test(job, stores_through_a_mapping_are_undone_too)
{
    options.jobs = 1;
    count = 3; /* python is slow to start */
    run_and_expect(NULL,
                   "python3 -c 'import mmap; f = open(\"lock\", \"r+b\"); f.read(); "
                   "m = mmap.mmap(f.fileno(), 0); assert m[0] == ord(\"1\"); m[0] = 120'",
                   VERDICT_HELD);
}

Test(job, a_failing_check_is_a_violation_with_its_output)
{
    run_and_expect(NULL, "echo bad $BRINK_STATE; exit 3", VERDICT_VIOLATED);
    cr_assert_str_eq(verdicts[1].output, "bad 0000000000000001\n");
    cr_assert_str_eq(verdicts[1].why, "check exited with 3");
    cr_assert(WIFEXITED(verdicts[1].check_status));
    cr_assert_eq(verdicts[1].recover_status, -1);
}

Test(job, only_the_states_that_do_not_hold_are_violated)
{
    struct err err = {0};
    cr_assert(run("true", "test \"$(cat db)\" != abc", &err), "%s", err.text);
    for (size_t i = 0; i < count; i++) {
        const bool is_bad = i == 5 || i == 6;
        cr_expect_eq(verdicts[i].kind, is_bad ? VERDICT_VIOLATED : VERDICT_HELD, "state %zu", i);
    }
}

Test(job, a_recovery_killed_by_a_signal_has_crashed)
{
    run_and_expect("kill -SEGV $$", "true", VERDICT_CRASHED);
    cr_assert_str_eq(verdicts[0].why, "recovery was killed by signal 11 (SIGSEGV)");
}

Test(job, a_recovery_that_does_not_end_hangs)
{
    options.timeout_ns = 50 * CLOCK_MS;
    run_and_expect("sleep 60", "true", VERDICT_HUNG);
}

Test(job, with_a_check_the_exit_of_recovery_is_only_told)
{
    run_and_expect("exit 7", "true", VERDICT_HELD);
    cr_assert_eq(WEXITSTATUS(verdicts[3].recover_status), 7);
}

Test(job, without_a_check_recovery_must_end_well)
{
    run_and_expect("exit 7", NULL, VERDICT_VIOLATED);
    cr_assert_str_eq(verdicts[0].why, "recovery exited with 7");
}

Test(job, without_a_check_a_second_recovery_must_change_nothing)
{
    run_and_expect("echo x >>db", NULL, VERDICT_VIOLATED);
    cr_assert_str_eq(verdicts[0].why, "second recovery changed the workspace");
}

Test(job, without_a_check_a_repeatable_recovery_holds)
{
    run_and_expect("echo x >db; mkdir -p d", NULL, VERDICT_HELD);
}

Test(job, two_answers_for_one_state_are_flaky)
{
    char *text OWN(own_mem) = mem_format("f=%s/$BRINK_STATE; if test -e $f; then rm $f; else "
                                         "touch $f; exit 1; fi",
                                         base);
    run_and_expect(NULL, text, VERDICT_FLAKY);
    cr_assert_str_eq(verdicts[0].why, "two runs gave two answers: check exited with 1; held");
}

Test(job, a_check_that_cannot_be_started_is_the_users_error)
{
    struct err err = {0};
    cr_assert_not(run(NULL, "none-such; exit 127", &err));
    cr_assert_eq(err.kind, ERR_USAGE);
    cr_assert(strstr(err.text, "check could not be started (exit 127)"), "%s", err.text);
}

Test(job, nothing_that_a_command_started_survives_it)
{
    run_and_expect("setsid sh -c 'while :; do echo x >>db; done' >/dev/null 2>&1 & true", "true",
                   VERDICT_HELD);
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), 0, "only the janitor is to be left");
}

Test(job, no_command_gets_a_pid_that_was_recorded)
{
    options.jobs = 1; /* the recorded numbers are 100, a thread's, and 12345, in the file */
    run_and_expect(NULL, "test $$ -gt 12345 && test $$ -lt 12400 && test ! -e /proc/12345",
                   VERDICT_HELD);
}

Test(job, the_network_of_a_state_is_its_own)
{
    count = 2; /* python is slow to start */
    const int taken OWN(own_fd) = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    cr_assert_eq(bind(taken, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(getsockname(taken, (struct sockaddr *)&address, &size), 0);
    char *text OWN(own_mem) =
        mem_format("python3 -c 'import socket; s = socket.socket(); here = (\"127.0.0.1\", %d); "
                   "s.bind(here); s.listen(); socket.create_connection(here)'",
                   ntohs(address.sin_port));
    run_and_expect(NULL, text, VERDICT_HELD);
}

Test(job, slots_on_disk_do_the_same)
{
    options.slot_dir = base;
    run_and_expect("echo x >>db", "test $(wc -c <db) -gt 1", VERDICT_HELD);
}

Test(job, a_worker_that_needs_what_memory_lacks_is_tried_on_disk)
{
    example.trace.ops[example.trace.count - 2].flags |= OP_DIRECT;
    options.without = WITHOUT_TMPFS;
    run_and_expect("echo x >>db", "test $(wc -c <db) -gt 1", VERDICT_HELD);
    cr_assert(note && strstr(note, "slots are on disk"), "%s", note);
}

static volatile sig_atomic_t interrupted;

static void interrupt(void *context, const struct verdict *verdict)
{
    take(context, verdict);
    interrupted = 1;
}

Test(job, an_interrupt_keeps_finished_verdicts_and_ends_the_rest_at_once)
{
    struct err err = {0};
    options.done = interrupt;
    options.interrupted = &interrupted;
    options.jobs = 1;
    const int64_t start = clock_now();
    cr_assert(run(NULL, "test $BRINK_STATE = 0000000000000000 || sleep 15", &err), "%s", err.text);
    cr_assert_not(complete);
    cr_assert_geq(told, 1);
    cr_assert_lt(clock_now() - start, 30 * CLOCK_SECOND);
    cr_assert_eq(verdicts[0].kind, VERDICT_HELD);
}

Test(job, nothing_is_begun_after_the_deadline)
{
    struct err err = {0};
    options.deadline = clock_now();
    cr_assert(run(NULL, "true", &err), "%s", err.text);
    cr_assert_not(complete);
    cr_assert_eq(told, 0);
}

/* Waits until a process named `sleep` runs somewhere below `pid`. */
static bool has_sleeper(pid_t pid)
{
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    const int name OWN(own_fd) = open(path, O_RDONLY);
    if (name >= 0 && read(name, text, sizeof text - 1) > 0 && strcmp(text, "sleep\n") == 0)
        return true;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    const int list OWN(own_fd) = open(path, O_RDONLY);
    const ssize_t size = list < 0 ? 0 : read(list, text, sizeof text - 1);
    text[size > 0 ? size : 0] = '\0';
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (has_sleeper((pid_t)strtoll(word, NULL, 10)))
            return true;
    }
    return false;
}

/* The slot is our youngest child. It is killed when it is at work again. */
static void kill_slot(void *context, const struct verdict *verdict)
{
    char text[200] = "";
    take(context, verdict);
    const int fd OWN(own_fd) = open("/proc/thread-self/children", O_RDONLY);
    cr_assert_gt(read(fd, text, sizeof text - 2), 0);
    text[strlen(text) - 1] = '\0';
    const pid_t slot = (pid_t)strtoll(strrchr(text, ' '), NULL, 10);
    if (fork() == 0) {
        for (int i = 0; i < 10000 && !has_sleeper(slot); i++)
            usleep(1000);
        kill(slot, SIGKILL);
        _exit(0);
    }
}

Test(job, a_slot_that_dies_is_an_error_that_names_the_state)
{
    struct err err = {0};
    options.jobs = 1;
    options.done = kill_slot;
    cr_assert_not(run("sleep 0.1", "test $BRINK_STATE = 0000000000000000 || sleep 15", &err));
    cr_assert_eq(err.kind, ERR_HARNESS);
    cr_assert_str_eq(err.text, "state 0000000000000001: its slot was killed by signal 9");
}

Test(job, a_killed_brink_leaves_nothing)
{
    struct err err = {0};
    int ends[2];
    cr_assert_eq(pipe2(ends, 0), 0);
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    const pid_t brink = fork();
    if (brink == 0) {
        options.slot_dir = base;
        char *text = mem_format("echo started >&%d; sleep 60", 1);
        close(ends[0]);
        if (!janitor_start(&options.janitor, &err))
            _exit(1);
        options.done = NULL;
        (void)!write(ends[1], "x", 1);
        run(NULL, text, &err);
        _exit(1);
    }
    close(ends[1]);
    char byte;
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    kill(brink, SIGKILL);
    cr_assert_eq(waitpid(brink, NULL, 0), brink);
    /* The pipe is held by every process of the slots, as well as by brink. */
    cr_assert_eq(read(ends[0], &byte, 1), 0);
    janitor_end(janitor); /* so that all other children, brink's janitor too, can be waited for */
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    cr_assert(janitor_start(&janitor, &err), "%s", err.text);
}

Test(job, a_check_that_can_fail_is_noticed_by_the_canary)
{
    struct err err = {0};
    enum canary canary = CANARY_OFF;
    struct command check = {0};
    options.check = &check;
    cr_assert(command_parse("test -s db", &check, &err));
    cr_assert(job_canary(&options, &canary, &err), "%s", err.text);
    cr_assert_eq(canary, CANARY_NOTICED);
    command_fini(&check);
    cr_assert(command_parse("grep -q abcdef db", &check, &err));
    cr_assert(job_canary(&options, &canary, &err), "%s", err.text);
    cr_assert_eq(canary, CANARY_NOTICED);
    command_fini(&check);
    cr_assert(command_parse("true", &check, &err));
    cr_assert(job_canary(&options, &canary, &err), "%s", err.text);
    cr_assert_eq(canary, CANARY_UNNOTICED);
    command_fini(&check);
}

Test(job, a_replay_keeps_the_state_and_judges_it)
{
    struct err err = {0};
    struct verdict verdict;
    struct command check = {0};
    char *keep OWN(own_mem) = mem_format("%s/kept", base);
    const struct replay_options replay = {.keep_dir = keep};
    options.check = &check;
    cr_assert(command_parse("echo said; rm db; exit 2", &check, &err));
    cr_assert(job_replay(&options, &states[4], &replay, &verdict, &err), "%s", err.text);
    cr_assert_eq(verdict.kind, VERDICT_VIOLATED);
    cr_assert_str_eq(verdict.output, "said\n");
    free(verdict.output);
    free(verdict.why);
    command_fini(&check);
    char *db OWN(own_mem) = mem_format("%s/db", keep);
    struct stat status;
    cr_assert_eq(stat(db, &status), 0);
    cr_assert_eq(status.st_size, 2);
    const int fd OWN(own_fd) = open(base, O_RDONLY | O_DIRECTORY);
    cr_assert(folder_remove(fd, "kept", &err), "%s", err.text);
}
