/* lock_order.h - in which orders several processes get a lock, drawn from a seed. */
#ifndef SCENARIOS_LOCK_ORDER_H
#define SCENARIOS_LOCK_ORDER_H

#include <stdint.h>

/* How many orders of so many processes there are; UINT32_MAX for more than fit. */
uint32_t lock_order_possible(uint32_t processes);

/* Draws `orders` (at most lock_order_possible) different orders, `processes` numbers for each, into
 * *out, which the caller frees. In the first ones each process in turn is the first. The same seed
 * gives the same orders. */
void lock_order_draw(uint32_t processes, uint32_t orders, uint64_t seed, uint32_t **out);

#endif
