#include "robust_place.h"

#include <criterion/criterion.h>

Test(robust_place, a_death_marks_what_the_dead_held_and_keeps_that_others_wait)
{
    static const struct {
        const char *label;
        uint32_t word, tid;
        bool dies;
        uint32_t left;
    } rows[] = {
        {"held", 70000, 70000, true, 0x40000000},
        {"held, awaited", 0x80000000 + 70000, 70000, true, 0xc0000000},
        {"held again after a death", 0x40000000 + 70000, 70000, true, 0x40000000},
        {"held by another", 70001, 70000, false, 0},
        {"free", 0, 70000, false, 0},
        {"free, nobody asks", 0, 0, false, 0},
        {"marked already", 0x40000000, 70000, false, 0},
        {"the largest number", 0x3fffffff, 0x3fffffff, true, 0x40000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t left = 0;
        cr_expect_eq(robust_place_dies(rows[i].word, rows[i].tid, &left), rows[i].dies, "%s",
                     rows[i].label);
        cr_expect_eq(left, rows[i].left, "%s", rows[i].label);
    }
}

Test(robust_place, the_store_is_made_only_while_the_word_can_be_seen)
{
    const struct robust_place place = {
        .node = 5, .offset = 64, .payload = 100, .tid = 7, .thread = 2, .from = 3, .to = 4};
    for (uint32_t k = 0; k < 7; k++) {
        struct op op;
        const bool is_made = robust_place_store(&place, 7, k, &op);
        cr_expect_eq(is_made, k == 3 || k == 4, "position %u", k);
        if (!is_made)
            continue;
        cr_expect_eq(op.kind, OP_STORE);
        cr_expect_eq(op.node, 5);
        cr_expect_eq(op.thread, 2);
        cr_expect_eq(op.offset, 64);
        cr_expect_eq(op.payload, 100);
        cr_expect_eq(op.payload_size, 4);
    }
}

Test(robust_place, the_store_has_the_waiters_word_when_others_wait)
{
    const struct robust_place place = {.payload = 100, .tid = 7, .to = UINT32_MAX};
    struct op op;
    cr_assert(robust_place_store(&place, 0x80000007, 0, &op));
    cr_expect_eq(op.payload, 104);
    cr_expect_not(robust_place_store(&place, 8, 0, &op));
}
