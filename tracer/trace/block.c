#include "block.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tree_hash.h"

enum {
    PIECES_MAX = 32, /* more than that cost more to read than the bytes cost to hold */
    PIECES_ROOM = 4 * PIECES_MAX + 2,
    CACHE_SIZE = 16
};

/* Bytes of the blocks that were last read as a whole or made. All torn states of one write start
 * from the same block, so the one that was used longest ago is the one to give up. */
struct block_cache {
    uint64_t clock;
    uint64_t ids[CACHE_SIZE];
    uint64_t used[CACHE_SIZE];
    uint8_t bytes[CACHE_SIZE][TREE_BLOCK];
};

void block_maker_init(struct block_maker *maker, const struct trace *trace)
{
    *maker = (struct block_maker){.trace = trace, .cache = mem_new(1, sizeof(struct block_cache))};
}

void block_maker_fini(struct block_maker *maker)
{
    free(maker->cache);
    *maker = (struct block_maker){0};
}

struct block *block_keep(struct block *block)
{
    if (block)
        block->references++;
    return block;
}

void block_drop(struct block *block)
{
    if (!block || --block->references > 0)
        return;
    free(block->bytes);
    free(block);
}

static const uint8_t *cache_find(struct block_cache *cache, uint64_t id)
{
    for (size_t i = 0; i < CACHE_SIZE; i++) {
        if (cache->ids[i] != id)
            continue;
        cache->used[i] = ++cache->clock;
        return cache->bytes[i];
    }
    return NULL;
}

static uint8_t *cache_add(struct block_cache *cache, uint64_t id)
{
    size_t oldest = 0;
    for (size_t i = 1; i < CACHE_SIZE; i++) {
        if (cache->used[i] < cache->used[oldest])
            oldest = i;
    }
    cache->ids[oldest] = id;
    cache->used[oldest] = ++cache->clock;
    return cache->bytes[oldest];
}

static bool read_pieces(const struct trace *trace, const struct block *block, struct piece range,
                        uint8_t *to, struct err *err)
{
    memset(to, 0, range.size);
    const unsigned end = range.start + range.size;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct piece *piece = &block->pieces[i];
        const unsigned from = piece->start > range.start ? piece->start : range.start;
        const unsigned last = piece->start + piece->size;
        const unsigned until = last < end ? last : end;
        if (from < until && !trace_read(trace, piece->place + (from - piece->start),
                                        to + (from - range.start), until - from, err))
            return false;
    }
    return true;
}

bool block_read(const struct block_maker *maker, const struct block *block, struct piece range,
                void *to, struct err *err)
{
    CHECK(range.start + range.size <= TREE_BLOCK);
    if (!block) {
        memset(to, 0, range.size);
        return true;
    }
    const uint8_t *bytes = block->bytes ? block->bytes : cache_find(maker->cache, block->id);
    if (!bytes)
        return read_pieces(maker->trace, block, range, to, err);
    memcpy(to, bytes + range.start, range.size);
    return true;
}

/* All bytes of a block, which stay valid until two more blocks were looked at. */
static const uint8_t *whole(struct block_maker *maker, const struct block *block, struct err *err)
{
    if (block->bytes)
        return block->bytes;
    const uint8_t *known = cache_find(maker->cache, block->id);
    if (known)
        return known;
    uint8_t bytes[TREE_BLOCK];
    if (!read_pieces(maker->trace, block, (struct piece){.size = TREE_BLOCK}, bytes, err))
        return NULL;
    return memcpy(cache_add(maker->cache, block->id), bytes, TREE_BLOCK);
}

struct piece_list {
    struct piece items[PIECES_ROOM];
    size_t count;
    bool is_too_long;
};

static void list_add(struct piece_list *list, struct piece piece)
{
    struct piece *last = list->count > 0 ? &list->items[list->count - 1] : NULL;
    if (last && last->start + last->size == piece.start &&
        last->place + last->size == piece.place) {
        last->size = (uint16_t)(last->size + piece.size);
        return;
    }
    if (list->count == PIECES_ROOM) {
        list->is_too_long = true;
    } else {
        list->items[list->count++] = piece;
    }
}

static void list_add_part(struct piece_list *list, const struct block_part *part)
{
    if (!part->block || part->size == 0)
        return;
    if (part->block->bytes)
        list->is_too_long = true;
    const unsigned end = part->start + part->size;
    for (uint32_t i = 0; i < part->block->count; i++) {
        const struct piece *piece = &part->block->pieces[i];
        const unsigned from = piece->start > part->start ? piece->start : part->start;
        const unsigned last = piece->start + piece->size;
        const unsigned until = last < end ? last : end;
        if (from < until) {
            list_add(list, (struct piece){.place = piece->place + (from - piece->start),
                                          .start = (uint16_t)(from - part->start + part->at),
                                          .size = (uint16_t)(until - from)});
        }
    }
}

static void list_fill(struct piece_list *list, const struct block_recipe *recipe)
{
    bool is_patched = recipe->patch == NULL;
    for (size_t i = 0; i < recipe->count; i++) {
        if (!is_patched && recipe->parts[i].at > recipe->patch->start) {
            list_add(list, *recipe->patch);
            is_patched = true;
        }
        list_add_part(list, &recipe->parts[i]);
    }
    if (!is_patched)
        list_add(list, *recipe->patch);
}

static bool fill_bytes(struct block_maker *maker, const struct block_recipe *recipe, uint8_t *to,
                       struct err *err)
{
    memset(to, 0, TREE_BLOCK);
    for (size_t i = 0; i < recipe->count; i++) {
        const struct block_part *part = &recipe->parts[i];
        if (!part->block || part->size == 0)
            continue;
        const uint8_t *bytes = whole(maker, part->block, err);
        if (!bytes)
            return false;
        memcpy(to + part->at, bytes + part->start, part->size);
    }
    const struct piece *patch = recipe->patch;
    return !patch || trace_read(maker->trace, patch->place, to + patch->start, patch->size, err);
}

static bool is_zero(const uint8_t *bytes)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, TREE_BLOCK - 1) == 0;
}

bool block_make(struct block_maker *maker, const struct block_recipe *recipe, struct block **out,
                struct err *err)
{
    uint8_t bytes[TREE_BLOCK];
    if (!fill_bytes(maker, recipe, bytes, err))
        return false;
    if (is_zero(bytes)) {
        *out = NULL;
        return true;
    }
    struct piece_list list;
    list.count = 0;
    list.is_too_long = false;
    list_fill(&list, recipe);
    const bool is_whole = list.is_too_long || list.count > PIECES_MAX;
    const size_t count = is_whole ? 0 : list.count;
    struct block *block = mem_new(1, sizeof *block + count * sizeof *block->pieces);
    block->hash = tree_hash_bytes(bytes, sizeof bytes);
    block->id = ++maker->last_id;
    block->references = 1;
    block->count = (uint32_t)count;
    memcpy(block->pieces, list.items, count * sizeof *block->pieces);
    if (is_whole) {
        block->bytes = mem_copy(bytes, sizeof bytes);
    } else if (count > 1) {
        memcpy(cache_add(maker->cache, block->id), bytes, sizeof bytes);
    }
    *out = block;
    return true;
}
