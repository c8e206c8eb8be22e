/* state_id.h - names of states that stay the same from run to run.
 *
 * A state is named by its model, by the op at its crash point and by its variant. The op is told by
 * its call, its path and how many ops with this call and path came before it, so that neither pids
 * nor the order of unrelated threads enter. */
#ifndef STATES_STATE_ID_H
#define STATES_STATE_ID_H

#include "tracer/trace/verdict.h"

struct state_id_others {
    const struct state *items;
    size_t count;
};

/* Fills the id of each state; they are in order of `op`. Two states whose ids would be equal (a
 * worker whose temporary names repeat) get different ones by a counter. */
void state_id_fill(const struct trace *trace, struct state *states, size_t count);

/* The same for states of the trace's recoveries, ordered by recovery and op: the id of the crash
 * state that the recovery began on, and that of the state inside the recovery, as one. They differ
 * from the `others`, too. */
void state_id_fill_recoveries(const struct trace *trace, struct state *states, size_t count,
                              const struct state_id_others *others);

#endif
