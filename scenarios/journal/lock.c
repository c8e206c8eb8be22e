/* fcntl has no time limit for its wait, and asking again and again would let a late-comer overtake
 * one who waits. So a timer interrupts the wait by a signal. It may fire in the moment before the
 * wait begins: that is why it goes on firing until it is deleted. */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { MS_PER_SECOND = 1000, NS_PER_MS = 1000000, AGAIN_MS = 20 };

static void wake_up(int number)
{
    (void)number;
}

static struct timespec span_of(int64_t ms)
{
    return (struct timespec){.tv_sec = ms / MS_PER_SECOND,
                             .tv_nsec = ms % MS_PER_SECOND * NS_PER_MS};
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * MS_PER_SECOND + now.tv_nsec / NS_PER_MS;
}

/* A timer that interrupts this thread, and no other, from timeout_ms on. */
static bool start_timer(int64_t timeout_ms, timer_t *timer)
{
    const struct sigaction action = {.sa_handler = wake_up}; /* no SA_RESTART: EINTR is wanted */
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    event._sigev_un._tid = gettid();
    const struct itimerspec when = {.it_value = span_of(timeout_ms),
                                    .it_interval = span_of(AGAIN_MS)};
    if (sigaction(SIGALRM, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, timer) != 0)
        return false;
    if (timer_settime(*timer, 0, &when, NULL) == 0)
        return true;
    timer_delete(*timer);
    return false;
}

/* Returns 0 or the errno of the refusal; EINTR when the time is over. */
static int wait_for(int fd, struct flock *lock, int64_t deadline_ms)
{
    while (fcntl(fd, F_OFD_SETLKW, lock) != 0) {
        if (errno != EINTR || now_ms() >= deadline_ms)
            return errno;
    }
    return 0;
}

static int take_within(int fd, struct flock *lock, int64_t timeout_ms)
{
    if (timeout_ms <= 0)
        return fcntl(fd, F_OFD_SETLK, lock) == 0 ? 0 : errno;
    timer_t timer;
    const int64_t deadline_ms = now_ms() + timeout_ms;
    if (!start_timer(timeout_ms, &timer))
        return errno;
    const int refused = wait_for(fd, lock, deadline_ms);
    timer_delete(timer);
    return refused;
}

bool lock_take(int fd, enum lock_kind kind, int64_t timeout_ms, struct fail *fail)
{
    struct flock lock = {.l_type = kind == LOCK_SHARED ? F_RDLCK : F_WRLCK, .l_whence = SEEK_SET};
    const int refused = take_within(fd, &lock, timeout_ms);
    if (refused == 0)
        return true;
    if (refused == EAGAIN || refused == EACCES || refused == EINTR) {
        return fail_with(fail, EXIT_CODE_LOCKED, "somebody else held its lock for %.1f seconds",
                         (double)timeout_ms / MS_PER_SECOND);
    }
    errno = refused;
    return fail_system(fail, "lock it");
}
