/* harm.h - damage done on purpose, to see whether a check can fail at all. */
#ifndef RUNNER_HARM_H
#define RUNNER_HARM_H

#include "tracer/base/err.h"

enum harm {
    HARM_NONE,
    HARM_GONE,    /* everything removed */
    HARM_EMPTIED, /* each regular file cut to nothing */
    HARM_FLIPPED, /* the middle byte of each regular file inverted */
};

/* To everything in the directory. */
MUST_USE bool harm_do(int dir_fd, enum harm harm, struct err *err);

#endif
