#include "board.h"

#include <stddef.h>
#include <sys/mman.h>

#include "tracer/base/check.h"

/* Each slot takes this part of its even share at a time. */
enum { SHARES = 4 };

struct board *board_new(uint64_t count, uint32_t slots)
{
    CHECK(slots > 0 && slots <= BOARD_SLOTS_MAX);
    struct board *board =
        mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        return NULL;
    board->count = count;
    board->slots = slots;
    return board;
}

void board_free(struct board *board)
{
    if (board)
        munmap(board, sizeof *board);
}

static uint64_t range_size(const struct board *board, uint64_t next)
{
    const uint64_t share = (board->count - next) / ((uint64_t)board->slots * SHARES);
    if (share < 1)
        return 1;
    return share < BOARD_RANGE_MAX ? share : BOARD_RANGE_MAX;
}

bool board_take(struct board *board, struct board_range *range)
{
    uint64_t next = __atomic_load_n(&board->next, __ATOMIC_RELAXED);
    while (next < board->count && !board_is_stopped(board)) {
        const uint64_t end = next + range_size(board, next);
        if (__atomic_compare_exchange_n(&board->next, &next, end, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
            *range = (struct board_range){next, end};
            return true;
        }
    }
    return false;
}

void board_stop(struct board *board)
{
    __atomic_store_n(&board->is_stopped, 1, __ATOMIC_RELAXED);
}

bool board_is_stopped(const struct board *board)
{
    return __atomic_load_n(&board->is_stopped, __ATOMIC_RELAXED) != 0;
}

void board_begin(struct board *board, uint32_t slot, uint64_t index)
{
    __atomic_store_n(&board->current[slot], index + 1, __ATOMIC_RELAXED);
}

void board_end(struct board *board, uint32_t slot)
{
    __atomic_store_n(&board->current[slot], 0, __ATOMIC_RELAXED);
}

bool board_current(const struct board *board, uint32_t slot, uint64_t *index)
{
    const uint64_t at = __atomic_load_n(&board->current[slot], __ATOMIC_RELAXED);
    if (at > 0)
        *index = at - 1;
    return at > 0;
}
