#include "inject.h"

#include <fcntl.h>

#include "puppet_test.h"

static const unsigned long NO_ARGS[6] = {0};

static void act_signposts(void *context)
{
    (void)context;
    for (int i = 0; i < 3; i++)
        if (syscall(SYS_getppid) != getppid())
            _exit(7);
}

Test(inject, a_call_is_done_by_the_thread_itself, .timeout = 10)
{
    const pid_t pid = puppet_start(act_signposts, NULL);
    puppet_until(pid, SYS_getppid, PUPPET_EXIT);
    long result = 0;
    struct err err = {0};
    cr_assert(inject_call(pid, SYS_getpid, NO_ARGS, &result, &err), "%s", err.text);
    cr_expect_eq(result, pid);
    cr_expect_eq(puppet_finish(pid), 0);
}

Test(inject, registers_are_as_before, .timeout = 10)
{
    const pid_t pid = puppet_start(act_signposts, NULL);
    puppet_until(pid, SYS_getppid, PUPPET_EXIT);
    struct user_regs_struct before, after;
    cr_assert_eq(ptrace(PTRACE_GETREGS, pid, 0, &before), 0);
    long result = 0;
    struct err err = {0};
    const unsigned long args[6] = {(unsigned long)-1, 1, 2, 3, 4, 5};
    cr_assert(inject_call(pid, SYS_close, args, &result, &err), "%s", err.text);
    cr_expect_eq(result, -EBADF);
    cr_assert_eq(ptrace(PTRACE_GETREGS, pid, 0, &after), 0);
    cr_expect_arr_eq(&before, &after, sizeof before);
    puppet_kill(pid);
}

static void act_spin(void *context)
{
    volatile int *goes_on = context;
    *goes_on = 1;
    while (*goes_on != 0)
        continue;
}

Test(inject, a_thread_outside_of_any_call_is_driven_as_well, .timeout = 10)
{
    volatile int goes_on = 0;
    const pid_t pid = puppet_start(act_spin, (void *)(uintptr_t)&goes_on);
    do { /* until it has left the system calls of its start */
        cr_assert_eq(ptrace(PTRACE_CONT, pid, 0, 0), 0);
        cr_assert_eq(ptrace(PTRACE_INTERRUPT, pid, 0, 0), 0);
        int status = 0;
        cr_assert_eq(waitpid(pid, &status, __WALL), pid);
        errno = 0;
        if ((int)ptrace(PTRACE_PEEKDATA, pid, &goes_on, 0) == 1)
            break;
    } while (true);
    long result = 0;
    struct err err = {0};
    cr_assert(inject_call(pid, SYS_getpid, NO_ARGS, &result, &err), "%s", err.text);
    cr_expect_eq(result, pid);
    puppet_kill(pid);
}

static volatile sig_atomic_t handled;

static void handle(int signo)
{
    (void)signo;
    handled++;
}

static void act_handler(void *context)
{
    (void)context;
    const struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    syscall(SYS_getppid);
    _exit(handled == 1 ? 42 : 1);
}

Test(inject, a_signal_that_comes_meanwhile_is_handled_afterwards_and_once, .timeout = 10)
{
    const pid_t pid = puppet_start(act_handler, NULL);
    puppet_until(pid, SYS_getppid, PUPPET_EXIT);
    cr_assert_eq(kill(pid, SIGUSR1), 0);
    long result = 0;
    struct err err = {0};
    cr_assert(inject_call(pid, SYS_getpid, NO_ARGS, &result, &err), "%s", err.text);
    cr_expect_eq(result, pid);
    const int status = puppet_finish(pid);
    cr_expect(WIFEXITED(status));
    cr_expect_eq(WEXITSTATUS(status), 42);
}

Test(inject, a_stop_that_comes_meanwhile_is_reported_afterwards, .timeout = 10)
{
    const pid_t pid = puppet_start(act_signposts, NULL);
    puppet_until(pid, SYS_getppid, PUPPET_EXIT);
    cr_assert_eq(kill(pid, SIGSTOP), 0);
    long result = 0;
    struct err err = {0};
    cr_assert(inject_call(pid, SYS_getpid, NO_ARGS, &result, &err), "%s", err.text);
    cr_expect_eq(result, pid);
    const int status = puppet_step(pid, 0);
    cr_assert(WIFSTOPPED(status));
    cr_expect_eq(WSTOPSIG(status), SIGSTOP);
    puppet_kill(pid);
}

Test(inject, a_killed_thread_is_an_error_that_leaves_its_status, .timeout = 10)
{
    const pid_t pid = puppet_start(act_signposts, NULL);
    puppet_until(pid, SYS_getppid, PUPPET_EXIT);
    const unsigned long args[6] = {(unsigned long)pid, SIGKILL};
    long result = 0;
    struct err err = {0};
    cr_expect_not(inject_call(pid, SYS_kill, args, &result, &err));
    cr_expect_eq(err.os_errno, ESRCH, "%s", err.text);
    int status = 0;
    cr_assert_eq(waitpid(pid, &status, __WALL), pid);
    cr_expect(WIFSIGNALED(status));
}
