#include "stage.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/example_test.h"

/* Jobs on a machine that forbids namespaces: a filter refuses them. The user's workspace has one
 * file of his own. */
static char base[] = "/tmp/stage-test-XXXXXX";
static char *workspace, *mine;
static struct example example;
static struct state states[2];
static const uint32_t order[] = {0, 1};
static struct verdict verdicts[2];
static struct job_options options = {.timeout_ns = 20 * CLOCK_SECOND, .jobs = 4};

static void forbid_namespaces(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    cr_assert(filter);
    cr_assert_eq(seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0), 0);
    cr_assert_eq(seccomp_load(filter), 0);
    seccomp_release(filter);
}

static void make(void)
{
    struct err err = {0};
    cr_assert(mkdtemp(base));
    cr_assert_eq(setenv("TMPDIR", base, 1), 0);
    workspace = mem_format("%s/ws", base);
    mine = mem_format("%s/ws/mine", base);
    cr_assert_eq(mkdir(workspace, 0755), 0);
    close(open(mine, O_CREAT | O_WRONLY, 0644));
    example_init(&example);
    const uint32_t db = example_create(&example, "db");
    example_begin(&example);
    example_write(&example, db, 0, "abc");
    options.trace = example_finish(&example);
    states[0] = (struct state){.id = "0", .op = options.trace->initial};
    states[1] = (struct state){.id = "1", .op = options.trace->count};
    forbid_namespaces();
    cr_assert(janitor_start(&options.janitor, &err), "%s", err.text);
    options.workspace = workspace;
}

static void unmake(void)
{
    janitor_end(options.janitor);
    example_fini(&example);
    cr_assert_eq(unlink(mine), 0, "the user's file is gone");
    cr_assert_eq(rmdir(workspace), 0, "the workspace is not as it was");
    cr_assert_eq(rmdir(base), 0, "something is left in %s", base);
    for (size_t i = 0; i < 2; i++) {
        free(verdicts[i].output);
        free(verdicts[i].why);
    }
    free(workspace);
    free(mine);
}

TestSuite(stage, .init = make, .fini = unmake, .timeout = 60);

static bool run(const char *check, struct err *err)
{
    bool complete = false;
    char *note OWN(own_mem) = NULL;
    struct command command = {0};
    cr_assert(command_parse(check, &command, err), "%s", err->text);
    options.check = &command;
    const struct job_states list = {states, order, 2, verdicts};
    const bool is_done = job_run(&options, &list, &complete, &note, err);
    command_fini(&command);
    cr_assert(note && strstr(note, "no namespaces here"), "%s", note);
    return is_done && complete;
}

Test(stage, without_namespaces_states_stand_at_the_workspaces_own_path)
{
    struct err err = {0};
    cr_assert(run("test ! -e mine && test $(pwd) = $BRINK_WORKSPACE && "
                  "test $(wc -c <db) = $((BRINK_STATE * 3)) && echo x >>db && rm db",
                  &err),
              "%s", err.text);
    cr_expect_eq(verdicts[0].kind, VERDICT_HELD);
    cr_expect_eq(verdicts[1].kind, VERDICT_HELD);
    cr_assert_eq(access(mine, F_OK), 0);
}

Test(stage, without_namespaces_nothing_survives_either)
{
    struct err err = {0};
    cr_assert(run("setsid sh -c 'while :; do echo x >>db; sleep 0.01; done' >/dev/null 2>&1 & true",
                  &err),
              "%s", err.text);
    cr_expect_eq(verdicts[1].kind, VERDICT_HELD);
}

Test(stage, without_namespaces_a_killed_brink_still_gives_the_workspace_back)
{
    int ends[2];
    cr_assert_eq(pipe2(ends, 0), 0);
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    const pid_t brink = fork();
    if (brink == 0) {
        struct err err = {0};
        close(ends[0]);
        janitor_leave(options.janitor);
        if (janitor_start(&options.janitor, &err)) {
            /* The check inherits the pipe: it has no close-on-exec. */
            char *check = mem_format("echo x >/proc/self/fd/%d; sleep 30", ends[1]);
            run(check, &err);
        }
        _exit(1);
    }
    close(ends[1]);
    char byte;
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    cr_assert_neq(access(mine, F_OK), 0);
    kill(brink, SIGKILL);
    while (read(ends[0], &byte, 1) > 0) /* all that held it are gone: brink, slot and check */
        continue;
    janitor_end(options.janitor); /* so that all other children, brink's janitor too, can be waited
                                     for */
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    struct err err = {0};
    cr_assert(janitor_start(&options.janitor, &err), "%s", err.text);
    cr_assert_eq(access(mine, F_OK), 0);
}
