/* clock.h - a worker's own clock around its loop.
 *
 * The time goes to the file that BENCH_CLOCK names, not to stdout, where it would be part of what
 * is measured and mix with what the tools print. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline int64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static inline int clock_report(int64_t began)
{
    const int64_t ns = clock_ns() - began;
    const char *path = getenv("BENCH_CLOCK");
    if (path == NULL)
        return 0;
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 1;
    fprintf(file, "%lld\n", (long long)ns);
    return fclose(file) == 0 ? 0 : 1;
}

/* A positive number on the command line, or the default when there is none. */
static inline long clock_number(int argc, char **argv, int index, long otherwise)
{
    const long number = index < argc ? strtol(argv[index], NULL, 10) : otherwise;
    if (number > 0)
        return number;
    fprintf(stderr, "%s: not a positive number: %s\n", argv[0], argv[index]);
    exit(2);
}

#endif
