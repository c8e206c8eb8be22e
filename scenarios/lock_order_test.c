#include "lock_order.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESSES = 8, ORDERS = 64 };

Test(lock_order, orders_are_different_permutations_and_each_process_is_first_once)
{
    uint32_t *orders = NULL;
    lock_order_draw(PROCESSES, ORDERS, 7, &orders);
    for (size_t i = 0; i < ORDERS; i++) {
        const uint32_t *order = orders + i * PROCESSES;
        unsigned seen = 0;
        for (size_t k = 0; k < PROCESSES; k++)
            seen |= 1U << order[k];
        cr_expect_eq(seen, 0xffu);
        if (i < PROCESSES)
            cr_expect_eq(order[0], i);
        for (size_t k = 0; k < i; k++)
            cr_expect_neq(memcmp(order, orders + k * PROCESSES, PROCESSES * sizeof *order), 0);
    }
    free(orders);
}

Test(lock_order, the_same_seed_gives_the_same_orders_and_another_gives_others)
{
    uint32_t *first = NULL;
    uint32_t *again = NULL;
    uint32_t *other = NULL;
    const size_t size = PROCESSES * ORDERS * sizeof *first;
    lock_order_draw(PROCESSES, ORDERS, 7, &first);
    lock_order_draw(PROCESSES, ORDERS, 7, &again);
    lock_order_draw(PROCESSES, ORDERS, 8, &other);
    cr_expect_eq(memcmp(first, again, size), 0);
    cr_expect_neq(memcmp(first, other, size), 0);
    free(first);
    free(again);
    free(other);
}

Test(lock_order, all_orders_can_be_drawn_and_are_counted)
{
    uint32_t *orders = NULL;
    cr_expect_eq(lock_order_possible(1), 1u);
    cr_expect_eq(lock_order_possible(4), 24u);
    cr_expect_eq(lock_order_possible(200), UINT32_MAX);
    lock_order_draw(4, 24, 1, &orders);
    for (size_t i = 0; i < 24; i++) {
        for (size_t k = 0; k < i; k++)
            cr_expect_neq(memcmp(orders + 4 * i, orders + 4 * k, 4 * sizeof *orders), 0);
    }
    free(orders);
}
