#include "tree_hash.h"

#include <xxhash.h>

struct tree_hash tree_hash_bytes(const void *data, size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(data, size);
    return (struct tree_hash){hash.low64, hash.high64};
}

struct tree_hash tree_hash_mix(struct tree_hash a, struct tree_hash b)
{
    const uint64_t both[] = {a.low, a.high, b.low, b.high};
    return tree_hash_bytes(both, sizeof both);
}
