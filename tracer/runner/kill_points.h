/* kill_points.h - where to kill for real: a drawn sample of a trace.
 *
 * The first ones are chosen by kind, so that no sample misses one: an entry, a page edge inside a
 * write, an exit, one in the last tenth, one in each process. The rest is drawn over all ops. The
 * same seed gives the same points. */
#ifndef RUNNER_KILL_POINTS_H
#define RUNNER_KILL_POINTS_H

#include <stddef.h>

#include "tracer/ptrace/record.h"

/* Up to `wanted` different points, in order of ops; fewer when the trace has no more. Caller frees
 * *out. Stores through mappings are no place to halt at: no call carries them. */
size_t kill_points_draw(const struct trace *trace, uint32_t wanted, uint64_t seed,
                        struct record_halt **out);

#endif
