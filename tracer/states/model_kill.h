/* model_kill.h - the process dies and the kernel lives: every op up to the crash point is whole.
 *
 * One state before the first op and one after each op; nothing varies. */
#ifndef STATES_MODEL_KILL_H
#define STATES_MODEL_KILL_H

#include "model.h"

extern const struct model model_kill;

#endif
