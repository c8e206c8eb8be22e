/* store_sound.h - whether a trace from somebody's disk can be used.
 *
 * Everything that reads a trace takes its numbers as they are, so they are looked at once, here. */
#ifndef TRACE_STORE_SOUND_H
#define TRACE_STORE_SOUND_H

#include "trace.h"

/* false: the run is damaged; *err names the first op or table that refers to what is not there. */
MUST_USE bool store_sound(const struct trace *trace, struct err *err);

#endif
