#include "launch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/clock.h"
#include "tracer/base/own.h"
#include "tracer/trace/verdict.h"

extern char **environ;

static struct console console;
static struct guard guard = {.fd = -1};
static struct launcher launcher = {.console = &console, .guard = &guard, .cancel_fd = -1};
static char folder[] = "/tmp/launch-test-XXXXXX";

static void make(void)
{
    struct err err = {0};
    cr_assert(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    launcher.environment = environ;
    launcher.timeout_ns = 10 * CLOCK_SECOND;
    cr_assert(console_open(&console, &err), "%s", err.text);
    cr_assert(launcher_init(&launcher, &err), "%s", err.text);
}

static void unmake(void)
{
    launch_kill_rest(&launcher);
    launcher_fini(&launcher);
    console_close(&console);
    unlink("file");
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(rmdir(folder), 0, "%s", strerror(errno));
}

TestSuite(launch, .init = make, .fini = unmake, .timeout = 30);

static struct launched run(const char *text)
{
    struct err err = {0};
    struct command command = {0};
    struct launched out = {0};
    cr_assert(command_parse(text, &command, &err), "%s", err.text);
    console_clear(&console);
    cr_assert(launch(&launcher, &command, &out, &err), "%s", err.text);
    command_fini(&command);
    return out;
}

static void expect_text(const char *expected)
{
    char *text OWN(own_mem) = console_text(&console);
    cr_assert_str_eq(text, expected);
}

Test(launch, status_and_output_come_back)
{
    const struct launched out = run("echo one; echo two >&2; exit 3");
    cr_assert_eq(out.end, LAUNCH_ENDED);
    cr_assert(WIFEXITED(out.status));
    cr_assert_eq(WEXITSTATUS(out.status), 3);
    expect_text("one\ntwo\n");
}

Test(launch, a_signal_is_told)
{
    const struct launched out = run("kill -SEGV $$");
    cr_assert(WIFSIGNALED(out.status));
    cr_assert_eq(WTERMSIG(out.status), SIGSEGV);
}

Test(launch, a_command_that_does_not_end_is_killed_at_its_limit)
{
    launcher.timeout_ns = 100 * CLOCK_MS;
    const int64_t start = clock_now();
    cr_assert_eq(run("sleep 60").end, LAUNCH_TIMED_OUT);
    cr_assert_lt(clock_now() - start, 5 * CLOCK_SECOND);
}

Test(launch, a_command_that_writes_without_end_meets_its_limit_too)
{
    launcher.timeout_ns = 100 * CLOCK_MS;
    cr_assert_eq(run("yes").end, LAUNCH_TIMED_OUT);
    cr_assert_eq(console.size, VERDICT_OUTPUT_MAX);
}

Test(launch, cancelling_ends_a_command_at_once)
{
    int ends[2];
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    close(ends[1]);
    launcher.cancel_fd = ends[0];
    cr_assert_eq(run("sleep 60").end, LAUNCH_CANCELLED);
    launcher.cancel_fd = -1;
}

Test(launch, a_daemon_that_keeps_the_pipe_delays_nobody_and_is_killed)
{
    const int64_t start = clock_now();
    const struct launched out = run("(setsid sh -c 'sleep 60; true' &) ; echo done");
    cr_assert_eq(out.end, LAUNCH_ENDED);
    cr_assert_eq(out.status, 0);
    expect_text("done\n");
    launch_kill_rest(&launcher);
    cr_assert_lt(clock_now() - start, 5 * CLOCK_SECOND);
    cr_assert_eq(waitpid(-1, NULL, WNOHANG), -1, "something is left");
    cr_assert_eq(errno, ECHILD);
}

Test(launch, input_is_empty_and_signals_are_as_in_a_fresh_shell)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    cr_assert_eq(sigaction(SIGPIPE, &ignore, NULL), 0);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    const struct launched out = run("cat; grep SigBlk /proc/self/status; kill -PIPE $$");
    expect_text("SigBlk:\t0000000000000000\n");
    cr_assert(WIFSIGNALED(out.status), "SIGPIPE is still ignored");
}

Test(launch, a_program_that_became_unstartable_is_like_127)
{
    struct err err = {0};
    char *argv[] = {folder, NULL};
    struct command command = {.text = folder, .argv = argv, .program = (char[]){"/none/x"}};
    struct launched out = {0};
    cr_assert(launch(&launcher, &command, &out, &err), "%s", err.text);
    cr_assert_eq(WEXITSTATUS(out.status), 127);
    expect_text("/none/x: cannot be started: No such file or directory\n");
}

Test(launch, a_file_without_a_magic_number_is_a_shell_script)
{
    const int fd = open("file", O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
    cr_assert_eq(write(fd, "echo script $1\n", 15), 15);
    close(fd);
    run("./file x");
    expect_text("script x\n");
}

Test(launch, a_pipe_left_non_blocking_blocks_again)
{
    run("python3 -c 'import os; os.set_blocking(1, False)'");
    const struct launched out = run("python3 -c 'import os; print(os.get_blocking(1))'");
    cr_assert_eq(out.status, 0);
    expect_text("True\n");
}

/* A program that maps the file as told: open flags, protection, flags. */
static void map_file(const char *open_flags, const char *how)
{
    char text[400];
    snprintf(text, sizeof text,
             "python3 -c 'import os, mmap; fd = os.open(\"file\", os.%s); "
             "mmap.mmap(fd, 1, %s); print(1)'",
             open_flags, how);
    guard_reset(&guard);
    cr_assert_eq(run(text).status, 0);
    expect_text("1\n");
}

static void make_guard(dev_t device)
{
    const int fd = open("file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    cr_assert_eq(write(fd, "x", 1), 1);
    close(fd);
    struct stat status;
    cr_assert_eq(stat("file", &status), 0);
    guard.trusts_proc = true;
    guard.devices[0] = device ? device : status.st_dev;
    /* An ordinary user outside of a slot has no other right to a filter. */
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    guard_install(&guard);
    cr_assert_geq(guard.fd, 0);
}

Test(launch, the_guard_sees_writable_shared_mappings_and_no_others)
{
    make_guard(0);
    map_file("O_RDWR", "mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE");
    cr_assert_not(guard_must_compare(&guard));
    map_file("O_RDONLY", "mmap.MAP_SHARED, mmap.PROT_READ");
    cr_assert_not(guard_must_compare(&guard));
    map_file("O_RDWR", "mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, mmap.PROT_READ");
    cr_assert_not(guard_must_compare(&guard));
    map_file("O_RDWR", "mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE");
    cr_assert(guard_must_compare(&guard));
    map_file("O_RDWR", "mmap.MAP_SHARED, mmap.PROT_READ"); /* mprotect can make it writable */
    cr_assert(guard_must_compare(&guard));
    guard_close(&guard);
}

Test(launch, mappings_on_another_file_system_do_not_concern_the_guard)
{
    make_guard(1);
    map_file("O_RDWR", "mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE");
    cr_assert_not(guard_must_compare(&guard));
    guard_close(&guard);
}
