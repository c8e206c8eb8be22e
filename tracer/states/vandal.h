/* vandal.h - for tests: what commands may do to a directory, at random. */
#ifndef STATES_VANDAL_H
#define STATES_VANDAL_H

#include "tracer/trace/random_ops.h"

/* Does one thing to what is in the directory path. True when it stored through a mapping. */
bool vandal_strike(struct random_ops *random, const char *path);

#endif
