#include "board.h"

#include <criterion/criterion.h>
#include <sys/wait.h>
#include <unistd.h>

Test(board, each_state_is_taken_once_and_ranges_shrink)
{
    struct board *board = board_new(1000, 3);
    struct board_range range;
    uint64_t next = 0;
    uint64_t last = UINT64_MAX;
    while (board_take(board, &range)) {
        cr_assert_eq(range.next, next);
        cr_assert_gt(range.end, range.next);
        cr_assert_leq(range.end - range.next, last);
        last = range.end - range.next;
        next = range.end;
    }
    cr_assert_eq(next, 1000);
    cr_assert_eq(last, 1);
    board_free(board);
}

Test(board, nothing_is_taken_after_a_stop)
{
    struct board *board = board_new(1000, 3);
    struct board_range range;
    board_stop(board);
    cr_assert_not(board_take(board, &range));
    board_free(board);
}

Test(board, processes_share_what_they_take, .timeout = 20)
{
    enum { COUNT = 100000, PROCESSES = 4 };
    struct board *board = board_new(COUNT, PROCESSES);
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] != 0)
            continue;
        struct board_range range;
        uint64_t taken = 0;
        while (board_take(board, &range))
            taken += range.end - range.next;
        board_begin(board, (uint32_t)i, taken);
        _exit(0);
    }
    uint64_t sum = 0;
    for (int i = 0; i < PROCESSES; i++) {
        uint64_t taken = 0;
        cr_assert_eq(waitpid(children[i], NULL, 0), children[i]);
        cr_assert(board_current(board, (uint32_t)i, &taken));
        sum += taken;
    }
    cr_assert_eq(sum, COUNT);
    board_end(board, 0);
    cr_assert_not(board_current(board, 0, &sum));
    board_free(board);
}
