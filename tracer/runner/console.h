/* console.h - where a state's commands write: one pipe, read with a bound.
 *
 * The pipe serves all states of a slot, one after the other; its writing end stays open here, so
 * that a daemon that keeps its copy delays nobody. What exceeds VERDICT_OUTPUT_MAX is read and
 * dropped, so that a command never waits for a reader. */
#ifndef RUNNER_CONSOLE_H
#define RUNNER_CONSOLE_H

#include <stddef.h>

#include "tracer/base/err.h"

struct console {
    int read_end, write_end;
    char *text; /* VERDICT_OUTPUT_MAX bytes */
    size_t size;
};

MUST_USE bool console_open(struct console *console, struct err *err);
void console_close(struct console *console);

/* Before a command: nothing read yet, and writing blocks (a command may have left it otherwise). */
void console_clear(struct console *console);
void console_prepare(struct console *console);

/* Takes what is there, without waiting. */
void console_drain(struct console *console);

/* A line of brink's own. */
void console_say(struct console *console, const char *fmt, ...) PRINTF(2, 3);

/* The text, with '?' for each NUL. Caller frees. */
char *console_text(const struct console *console);

#endif
