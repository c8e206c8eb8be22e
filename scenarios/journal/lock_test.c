#include "lock.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The same file twice, as two threads would open it, and no name of it left behind. */
static void open_twice(int fds[2])
{
    char path[] = "/tmp/lock_test-XXXXXX";
    fds[0] = mkstemp(path);
    fds[1] = open(path, O_RDWR | O_CLOEXEC);
    cr_assert_geq(fds[0], 0);
    cr_assert_geq(fds[1], 0);
    unlink(path);
}

static bool is_locked_out(int fd, enum lock_kind kind, int64_t timeout_ms)
{
    struct fail fail = {0};
    const bool is_taken = lock_take(fd, kind, timeout_ms, &fail);
    cr_assert(is_taken || fail.code == EXIT_CODE_LOCKED, "%s", fail.text);
    return !is_taken;
}

static int posix_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_SETLK, &lock);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

Test(lock, a_second_open_in_the_same_process_is_held_off, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    cr_assert(!is_locked_out(fds[0], LOCK_EXCLUSIVE, 0));
    cr_expect(is_locked_out(fds[1], LOCK_EXCLUSIVE, 0));
    close(fds[0]);
    cr_expect(!is_locked_out(fds[1], LOCK_EXCLUSIVE, 0));
}

/* Why the lock is none of these: the hole that a process has between its own threads. */
Test(lock, a_posix_lock_does_not_hold_off_a_second_open_in_the_same_process, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    cr_expect_eq(posix_lock(fds[0]), 0);
    cr_expect_eq(posix_lock(fds[1]), 0);
}

/* What Java's FileLock asks for. */
Test(lock, a_posix_lock_of_another_process_is_refused_while_the_lock_is_held, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    cr_assert(!is_locked_out(fds[0], LOCK_EXCLUSIVE, 0));
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0)
        _exit(posix_lock(fds[1]) == 0 ? 0 : errno);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status));
    cr_expect_eq(WEXITSTATUS(status), EAGAIN);
}

Test(lock, readers_share_it_and_hold_off_a_writer, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    cr_expect(!is_locked_out(fds[0], LOCK_SHARED, 0));
    cr_expect(!is_locked_out(fds[1], LOCK_SHARED, 0));
    cr_expect(is_locked_out(fds[1], LOCK_EXCLUSIVE, 0));
}

Test(lock, a_wait_ends_when_its_time_is_over_and_not_before, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    cr_assert(!is_locked_out(fds[0], LOCK_EXCLUSIVE, 0));
    const int64_t start = now_ms();
    cr_expect(is_locked_out(fds[1], LOCK_EXCLUSIVE, 150));
    cr_expect_geq(now_ms() - start, 149);
}

static void ignore(int number)
{
    (void)number;
}

/* Signals that have nothing to do with the wait must not cut it short. */
static void *disturb(void *waiting)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; i < 5; i++) {
        pthread_kill(*(pthread_t *)waiting, SIGUSR1);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

Test(lock, another_signal_does_not_end_the_wait, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    const struct sigaction action = {.sa_handler = ignore};
    sigaction(SIGUSR1, &action, NULL);
    cr_assert(!is_locked_out(fds[0], LOCK_EXCLUSIVE, 0));
    pthread_t self = pthread_self();
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, disturb, &self), 0);
    const int64_t start = now_ms();
    cr_expect(is_locked_out(fds[1], LOCK_EXCLUSIVE, 200));
    cr_expect_geq(now_ms() - start, 199);
    pthread_join(thread, NULL);
}

static void *close_later(void *fd)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
    close(*(int *)fd);
    return NULL;
}

Test(lock, one_who_waits_gets_it_when_it_is_free, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    pthread_t thread;
    cr_assert(!is_locked_out(fds[0], LOCK_EXCLUSIVE, 0));
    cr_assert_eq(pthread_create(&thread, NULL, close_later, &fds[0]), 0);
    cr_expect(!is_locked_out(fds[1], LOCK_EXCLUSIVE, 9000));
    pthread_join(thread, NULL);
}

static void *wait_in_vain(void *fd)
{
    return is_locked_out(*(int *)fd, LOCK_EXCLUSIVE, 50) ? fd : NULL;
}

Test(lock, a_wait_in_another_thread_than_the_first_ends_as_well, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    pthread_t thread;
    void *locked_out = NULL;
    cr_assert(!is_locked_out(fds[0], LOCK_EXCLUSIVE, 0));
    cr_assert_eq(pthread_create(&thread, NULL, wait_in_vain, &fds[1]), 0);
    cr_assert_eq(pthread_join(thread, &locked_out), 0);
    cr_expect_not_null(locked_out);
}

Test(lock, nothing_is_interrupted_any_more_once_it_is_taken, .timeout = 10)
{
    int fds[2];
    open_twice(fds);
    cr_assert(!is_locked_out(fds[0], LOCK_EXCLUSIVE, 10));
    cr_expect_eq(poll(NULL, 0, 60), 0);
}

Test(lock, a_descriptor_that_cannot_be_locked_is_a_failure_of_the_system, .timeout = 10)
{
    struct fail fail = {0};
    cr_expect(!lock_take(-1, LOCK_EXCLUSIVE, 50, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_SYSTEM);
    cr_expect_str_eq(fail.text, "lock it: Bad file descriptor");
}
