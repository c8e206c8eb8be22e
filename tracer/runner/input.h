/* input.h - the caller's stdin, the same bytes for every run of the worker.
 *
 * A terminal is handed on as it is. A regular file or device is opened anew for each run, at the
 * offset where we found it. What comes through a pipe or socket can be read only once: a process of
 * its own passes it on during the first run and keeps a copy in a temporary file, so that a worker
 * that does not read blocks nobody; later runs get the copy through a pipe. */
#ifndef RUNNER_INPUT_H
#define RUNNER_INPUT_H

#include "tracer/base/err.h"

struct input;

MUST_USE bool input_open(struct input **out, struct err *err);
void input_close(struct input *input); /* NULL is nothing */

/* The stdin of the next run: a descriptor (close on exec), or -1 for the caller's own. */
MUST_USE bool input_begin(struct input *input, int *out_fd, struct err *err);

/* The run is over: ends what feeds it and closes the descriptor. */
void input_end(struct input *input, int fd);

#endif
