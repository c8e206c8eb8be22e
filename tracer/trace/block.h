/* block.h - 4 KiB of a file as a short list of pieces of the payload file.
 *
 * A block never changes once it is made: a write makes a new one, and who still needs the old one
 * (a mark to go back to) keeps a reference. Bytes that no piece covers are zeros; a block of
 * nothing but zeros does not exist at all (NULL), so that a hole and written zeros are the same
 * thing. A block that would need too many pieces holds its bytes instead. */
#ifndef TRACE_BLOCK_H
#define TRACE_BLOCK_H

#include "tree.h"

struct piece {
    uint64_t place; /* in the payload file */
    uint16_t start; /* in the block */
    uint16_t size;
};

struct block {
    struct tree_hash hash; /* of all its TREE_BLOCK bytes */
    uint64_t id;           /* never used again */
    uint8_t *bytes;        /* instead of pieces; NULL: none */
    uint32_t references;
    uint32_t count;
    struct piece pieces[];
};

struct block_cache;

/* What making blocks needs: the payload, and the bytes of blocks that were in use lately. */
struct block_maker {
    const struct trace *trace;
    uint64_t last_id;
    struct block_cache *cache;
};

void block_maker_init(struct block_maker *maker, const struct trace *trace);
void block_maker_fini(struct block_maker *maker);

/* Blocks as values of a map. */
union block_value {
    uint64_t number;
    struct block *block;
};
_Static_assert(sizeof(void *) == sizeof(uint64_t), "a map's value holds a pointer");

static inline struct block *block_of(uint64_t number)
{
    return (union block_value){.number = number}.block;
}

static inline uint64_t block_number(struct block *block)
{
    return (union block_value){.block = block}.number;
}

/* Both accept NULL. block_keep returns its argument. */
struct block *block_keep(struct block *block);
void block_drop(struct block *block);

/* Bytes [start, start + size) of another block (NULL: zeros), to stand at `at` in the new one. */
struct block_part {
    struct block *block;
    uint16_t start, size, at;
};

/* Makes a block of parts in growing order that do not overlap, and a patch from the payload (NULL:
 * none) that overlaps none of them. The caller owns *out, which is NULL when all is zeros. */
struct block_recipe {
    struct block_part parts[4];
    size_t count;
    const struct piece *patch;
};
MUST_USE bool block_make(struct block_maker *maker, const struct block_recipe *recipe,
                         struct block **out, struct err *err);

/* Copies bytes [start, start + size) of a block (NULL: zeros). */
MUST_USE bool block_read(const struct block_maker *maker, const struct block *block,
                         struct piece range, void *to, struct err *err);

#endif
