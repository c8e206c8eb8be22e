#include "crowd.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/mem.h"

/* Starts "$0" "$@" several times at once and waits for all. */
static const char many[] = "n=$1; shift; while [ \"$n\" -gt 0 ]; do \"$@\" & n=$((n - 1)); done; "
                           "wait";

enum { MANY_WORDS = 5 };

void crowd_init(struct crowd *crowd, const char *const *argv, uint32_t count)
{
    size_t words = 0;
    size_t at = 0;
    while (argv[words])
        words++;
    *crowd = (struct crowd){.argv = mem_new(words + MANY_WORDS + 1, sizeof *crowd->argv)};
    if (count > 1) {
        crowd->number = mem_format("%u", count);
        crowd->argv[at++] = "/bin/sh";
        crowd->argv[at++] = "-c";
        crowd->argv[at++] = many;
        crowd->argv[at++] = "sh";
        crowd->argv[at++] = crowd->number;
    }
    memcpy(crowd->argv + at, argv, words * sizeof *argv);
}

void crowd_fini(struct crowd *crowd)
{
    free(crowd->argv);
    free(crowd->number);
    *crowd = (struct crowd){0};
}
