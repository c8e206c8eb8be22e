/* board.h - the memory that a job shares with its slots: who takes which states.
 *
 * Slots take ranges of states by themselves, without a word to anybody; the ranges shrink towards
 * the end, so that all slots end together. */
#ifndef RUNNER_BOARD_H
#define RUNNER_BOARD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { BOARD_SLOTS_MAX = 256, BOARD_RANGE_MAX = 256 };

struct board {
    uint64_t count;
    uint64_t next; /* the first that nobody has taken */
    uint32_t slots;
    volatile sig_atomic_t is_stopped;  /* no new state is begun */
    uint64_t current[BOARD_SLOTS_MAX]; /* one more than what a slot is at; 0: nothing */
};

/* Shared over fork. NULL when there is no memory. */
struct board *board_new(uint64_t count, uint32_t slots);
void board_free(struct board *board);

struct board_range {
    uint64_t next, end;
};
/* Takes the next range; false when all are taken or the job is stopped. */
bool board_take(struct board *board, struct board_range *range);

void board_stop(struct board *board);
bool board_is_stopped(const struct board *board);

/* What a slot is at, so that its crash can be put down to a state. */
void board_begin(struct board *board, uint32_t slot, uint64_t index);
void board_end(struct board *board, uint32_t slot);
bool board_current(const struct board *board, uint32_t slot, uint64_t *index);

#endif
