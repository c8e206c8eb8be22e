/* slot.h - one place where states are tried: a child process with surroundings of its own.
 *
 * It is forked from brink after the trace was loaded, and so shares it. It takes states from the
 * board by itself and sends verdicts to its socket in batches. When that socket is closed or shut
 * down at the other end it ends at once, and with it everything that it started. */
#ifndef RUNNER_SLOT_H
#define RUNNER_SLOT_H

#include <sys/types.h>

#include "board.h"
#include "harm.h"
#include "job.h"
#include "mailbox.h"

/* What all slots of a job work on; made before they are forked, never changed after. */
struct work {
    const struct job_options *options;
    const struct state *states;
    const uint32_t *order;
    const enum harm *harms; /* one for each in order; NULL: none */
    size_t count;
    struct board *board;
    const char *promises; /* folder */
    bool is_isolated;
    uint32_t pid_base;
    const struct replay_options *replay; /* NULL: none */
    struct job_recording *recording;     /* recoveries are recorded instead; NULL: no */
    int keep_fd;                         /* where a replay puts the state; -1: nowhere */
};

struct slot {
    pid_t pid;
    struct mailbox mail; /* fd -1: it has ended */
    bool is_done;        /* it has said goodbye */
};

/* Starts slot `number` of slots, whose earlier ones are running. folder: on disk; NULL: memory. */
MUST_USE bool slot_start(const struct work *work, struct slot *slots, uint32_t number,
                         const char *folder, struct err *err);

#endif
