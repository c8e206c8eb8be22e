/* pump.h - a process that carries bytes from one descriptor to another.
 *
 * It is nobody's child (so that whoever waits for any child does not meet it), ends at the end of
 * what it reads, when nobody reads what it writes, when it is told to, and with brink. */
#ifndef RUNNER_PUMP_H
#define RUNNER_PUMP_H

#include "tracer/base/err.h"

struct pump {
    int control; /* its closing ends the pump */
    int done;    /* its end of file is the pump's end */
};

struct pump_pipes {
    int from;
    int to;
    int copy_to; /* everything that was read goes there as well, before it goes on; -1: nowhere */
};

/* The descriptors stay the caller's. */
MUST_USE bool pump_start(const struct pump_pipes *pipes, struct pump *out, struct err *err);

/* Ends it, and waits for that. */
void pump_end(struct pump *pump);

#endif
