/* map.h - a hash table from 64-bit keys to 64-bit values.
 *
 * For the tables that are on the hot path: inodes by number, names by id, states by hash. Open
 * addressing; every key is allowed. The order of iteration depends on the history of the table, so
 * nothing that a user sees may follow it unsorted. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key;
    uint64_t value;
    uint8_t used; /* 0 free, 1 used, 2 deleted */
};

struct map {
    struct map_slot *slots;
    size_t capacity; /* 0 or a power of two */
    size_t count;
    size_t filled; /* used and deleted */
};

/* {0} is a valid empty map. */
void map_fini(struct map *map);

/* Whether the key is there; *out is set only then (out may be NULL). */
bool map_get(const struct map *map, uint64_t key, uint64_t *out);

/* Sets the key's value; true when the key is new. */
bool map_put(struct map *map, uint64_t key, uint64_t value);

/* Takes the key out; false when it was not there. */
bool map_remove(struct map *map, uint64_t key);

/* Iteration: start with *at = 0; false at the end. The map must not change meanwhile. */
bool map_next(const struct map *map, size_t *at, uint64_t *key, uint64_t *value);

#endif
