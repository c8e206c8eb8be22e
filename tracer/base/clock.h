/* clock.h - time, in nanoseconds. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

enum { CLOCK_MS = 1000000 };
#define CLOCK_SECOND INT64_C(1000000000)

static inline int64_t clock_read(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return now.tv_sec * CLOCK_SECOND + now.tv_nsec;
}

/* For durations and deadlines: never jumps. */
static inline int64_t clock_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

/* Since 1970: for what is written to disk. */
static inline int64_t clock_date(void)
{
    return clock_read(CLOCK_REALTIME);
}

static inline double clock_seconds(int64_t ns)
{
    return (double)ns / (double)CLOCK_SECOND;
}

/* Whole milliseconds from now to a deadline, for poll: at least 0, rounded up. */
static inline int clock_left_ms(int64_t deadline)
{
    const int64_t left = deadline - clock_now();
    return left <= 0 ? 0 : (int)((left + CLOCK_MS - 1) / CLOCK_MS);
}

#endif
