/* progress.h - how far long work has come: a bar on a terminal, now and then a line elsewhere. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *to; /* NULL: silent */
    bool is_terminal;
    uint64_t total, done, violations;
    int64_t begun_ns; /* clock_now */
    int64_t shown_ns; /* when the last line was written */
};

void progress_begin(struct progress *progress, FILE *to, bool is_quiet, uint64_t total);

/* One more is done. Cheap when nothing is to be shown yet. */
void progress_step(struct progress *progress, bool is_violation);

/* Takes the bar away. */
void progress_end(struct progress *progress);

/* A line about what goes on now ("recording ./worker"); on a terminal the next one replaces it. */
void progress_note(struct progress *progress, const char *text);

/* The line itself, for what is done after elapsed_ns. columns: of the terminal, 0: a plain line. */
void progress_line(const struct progress *progress, int64_t elapsed_ns, int columns, char *out,
                   size_t size);

#endif
