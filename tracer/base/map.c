#include "map.h"

#include <stdlib.h>

#include "mem.h"

enum { FREE, USED, DELETED };

/* The finaliser of splitmix64: every input bit reaches every output bit. */
static uint64_t mix(uint64_t key)
{
    key ^= key >> 30;
    key *= 0xbf58476d1ce4e5b9u;
    key ^= key >> 27;
    key *= 0x94d049bb133111ebu;
    return key ^ key >> 31;
}

void map_fini(struct map *map)
{
    free(map->slots);
    *map = (struct map){0};
}

static struct map_slot *find(const struct map *map, uint64_t key)
{
    if (map->count == 0)
        return NULL;
    for (size_t at = mix(key) & (map->capacity - 1);; at = (at + 1) & (map->capacity - 1)) {
        struct map_slot *slot = &map->slots[at];
        if (slot->used == FREE)
            return NULL;
        if (slot->used == USED && slot->key == key)
            return slot;
    }
}

bool map_get(const struct map *map, uint64_t key, uint64_t *out)
{
    const struct map_slot *slot = find(map, key);
    if (slot && out)
        *out = slot->value;
    return slot != NULL;
}

static void insert_new(struct map *map, uint64_t key, uint64_t value)
{
    size_t at = mix(key) & (map->capacity - 1);
    while (map->slots[at].used == USED)
        at = (at + 1) & (map->capacity - 1);
    if (map->slots[at].used == FREE)
        map->filled++;
    map->slots[at] = (struct map_slot){.key = key, .value = value, .used = USED};
    map->count++;
}

static void rehash(struct map *map, size_t capacity)
{
    struct map larger = {.slots = mem_new(capacity, sizeof *larger.slots), .capacity = capacity};
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].used == USED)
            insert_new(&larger, map->slots[i].key, map->slots[i].value);
    }
    free(map->slots);
    *map = larger;
}

/* Doubles, unless clearing away what was deleted is enough. */
static void make_room(struct map *map)
{
    const bool is_crowded = map->count * 2 + 8 > map->capacity;
    const size_t larger = map->capacity ? map->capacity * 2 : 16;
    rehash(map, is_crowded ? larger : map->capacity);
}

bool map_put(struct map *map, uint64_t key, uint64_t value)
{
    struct map_slot *slot = find(map, key);
    if (slot) {
        slot->value = value;
        return false;
    }
    if ((map->filled + 1) * 4 > map->capacity * 3)
        make_room(map);
    insert_new(map, key, value);
    return true;
}

bool map_remove(struct map *map, uint64_t key)
{
    struct map_slot *slot = find(map, key);
    if (!slot)
        return false;
    slot->used = DELETED;
    map->count--;
    return true;
}

bool map_next(const struct map *map, size_t *at, uint64_t *key, uint64_t *value)
{
    while (*at < map->capacity) {
        const struct map_slot *slot = &map->slots[(*at)++];
        if (slot->used != USED)
            continue;
        *key = slot->key;
        *value = slot->value;
        return true;
    }
    return false;
}
