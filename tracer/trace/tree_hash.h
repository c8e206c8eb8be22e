/* tree_hash.h - 128-bit hashes that can be summed.
 *
 * A set is hashed as the sum (modulo 2^128) of the hashes of its members: the order does not matter
 * and one member is exchanged without looking at the others. Members must have gone through
 * tree_hash_bytes or tree_hash_mix first, for a sum of plain numbers would collide at once. */
#ifndef TRACE_TREE_HASH_H
#define TRACE_TREE_HASH_H

#include <stddef.h>

#include "tree.h"

struct tree_hash tree_hash_bytes(const void *data, size_t size);
struct tree_hash tree_hash_mix(struct tree_hash a, struct tree_hash b);

static inline struct tree_hash tree_hash_add(struct tree_hash a, struct tree_hash b)
{
    const uint64_t low = a.low + b.low;
    return (struct tree_hash){low, a.high + b.high + (low < a.low)};
}

static inline struct tree_hash tree_hash_subtract(struct tree_hash a, struct tree_hash b)
{
    return (struct tree_hash){a.low - b.low, a.high - b.high - (a.low < b.low)};
}

#endif
