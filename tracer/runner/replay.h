/* replay.h - what a replay does in its slot besides running the commands. */
#ifndef RUNNER_REPLAY_H
#define RUNNER_REPLAY_H

#include "environment.h"
#include "slot.h"

/* Copies the state to the folder that is to be kept, and starts a shell in it when one is wanted.
 */
MUST_USE bool replay_inside(const struct work *work, int dir_fd,
                            const struct environment *environment, struct err *err);

#endif
