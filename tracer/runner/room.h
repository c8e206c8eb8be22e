/* room.h - how much room the workspace of a trace takes at its largest, and how much there is. */
#ifndef RUNNER_ROOM_H
#define RUNNER_ROOM_H

#include <stdint.h>

#include "tracer/trace/trace.h"

/* Upper bound of the bytes in all files with a name, over all positions of the trace. */
uint64_t room_needed(const struct trace *trace);

/* Memory that can be had without swapping, in bytes. */
uint64_t room_memory(void);

#endif
