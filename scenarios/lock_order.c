#include "lock_order.h"

#include <stdbool.h>
#include <string.h>

#include "tracer/base/mem.h"

uint32_t lock_order_possible(uint32_t processes)
{
    uint64_t product = 1;
    for (uint32_t i = 2; i <= processes; i++) {
        product *= i;
        if (product > UINT32_MAX)
            return UINT32_MAX;
    }
    return (uint32_t)product;
}

/* splitmix64: small, and the same on every machine. */
static uint64_t draw(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static void swap(uint32_t *a, uint32_t *b)
{
    const uint32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void shuffle(uint32_t *order, uint32_t count, uint64_t *state)
{
    for (uint32_t i = count; i > 1; i--)
        swap(&order[i - 1], &order[draw(state) % i]);
}

/* first: which process must come first; `processes`: any. */
static void make_order(uint32_t *order, uint32_t processes, uint32_t first, uint64_t *state)
{
    for (uint32_t i = 0; i < processes; i++)
        order[i] = i;
    if (first >= processes) {
        shuffle(order, processes, state);
        return;
    }
    swap(&order[0], &order[first]);
    shuffle(order + 1, processes - 1, state);
}

static bool is_known(const uint32_t *orders, uint32_t count, uint32_t processes,
                     const uint32_t *order)
{
    for (uint32_t i = 0; i < count; i++) {
        if (memcmp(orders + (size_t)i * processes, order, processes * sizeof *order) == 0)
            return true;
    }
    return false;
}

void lock_order_draw(uint32_t processes, uint32_t orders, uint64_t seed, uint32_t **out)
{
    uint32_t *all = mem_new((size_t)orders * processes + 1, sizeof *all);
    for (uint32_t i = 0; i < orders; i++) {
        uint32_t *order = all + (size_t)i * processes;
        do {
            make_order(order, processes, i, &seed);
        } while (is_known(all, i, processes, order));
    }
    *out = all;
}
