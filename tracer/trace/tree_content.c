/* The bytes of regular files: written, cut off, punched out, shifted. */
#include <linux/falloc.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tree_inside.h"

enum { FALLOC_WRITE_ZEROES = 0x80 }; /* Linux 6.17, not in our headers yet */

static struct block *block_at(const struct item *item, uint64_t number)
{
    uint64_t value;
    return map_get(&item->parts, number, &value) ? block_of(value) : NULL;
}

static struct item *expect_file(const struct tree *tree, const struct op *op, struct err *err)
{
    struct item *item = tree_item(tree, op->node);
    if (item && S_ISREG(item->stat.mode))
        return item;
    tree_misfit(tree, op, err, "node %u is %s", op->node, item ? "no regular file" : "not there");
    return NULL;
}

static bool expect_range(const struct tree *tree, const struct op *op, uint64_t offset,
                         uint64_t size, struct err *err)
{
    if (offset <= INT64_MAX && size <= INT64_MAX - offset)
        return true;
    return tree_misfit(tree, op, err, "no file can reach that far");
}

static void set_size(struct tree *tree, const struct op *op, uint64_t size)
{
    struct tree_node stat = tree->items[op->node]->stat;
    stat.size = size;
    stat.mtime_ns = -1;
    tree_set_stat(tree, op->node, &stat, op->time_ns);
}

static bool patch(struct tree *tree, uint32_t node, uint64_t number, struct piece piece,
                  struct err *err)
{
    struct block *old = block_at(tree->items[node], number);
    const uint16_t end = (uint16_t)(piece.start + piece.size);
    const struct block_recipe recipe = {
        .parts = {{.block = old, .start = 0, .size = piece.start, .at = 0},
                  {.block = old, .start = end, .size = (uint16_t)(TREE_BLOCK - end), .at = end}},
        .count = 2,
        .patch = &piece};
    struct block *block;
    if (!block_make(&tree->maker, &recipe, &block, err))
        return false;
    tree_set_block(tree, node, number, block);
    return true;
}

bool tree_write(struct tree *tree, const struct op *op, uint64_t skip, uint64_t bytes,
                struct err *err)
{
    const struct item *item = expect_file(tree, op, err);
    if (!item || !expect_range(tree, op, op->offset, op->payload_size, err))
        return false;
    if (bytes == 0)
        return true;
    uint64_t offset = op->offset + skip;
    const uint64_t end = offset + bytes;
    uint64_t place = op->payload + skip;
    while (offset < end) {
        const uint64_t start = offset % TREE_BLOCK;
        const uint64_t room = TREE_BLOCK - start;
        const uint64_t size = room < end - offset ? room : end - offset;
        const struct piece piece = {
            .place = place, .start = (uint16_t)start, .size = (uint16_t)size};
        if (!patch(tree, op->node, offset / TREE_BLOCK, piece, err))
            return false;
        offset += size;
        place += size;
    }
    set_size(tree, op, end > item->stat.size ? end : item->stat.size);
    return true;
}

size_t tree_blocks_in(const struct item *item, uint64_t first, uint64_t last, uint64_t **out)
{
    uint64_t *numbers = mem_new(item->parts.count, sizeof *numbers);
    size_t count = 0;
    if (last >= first && last - first < item->parts.count) {
        for (uint64_t number = first; number <= last; number++) {
            if (map_get(&item->parts, number, NULL))
                numbers[count++] = number;
        }
    } else {
        uint64_t number;
        uint64_t value;
        for (size_t at = 0; map_next(&item->parts, &at, &number, &value);) {
            if (number >= first && number <= last)
                numbers[count++] = number;
        }
    }
    *out = numbers;
    return count;
}

/* Makes bytes [from, until) zeros. */
static bool clear(struct tree *tree, uint32_t node, uint64_t from, uint64_t until, struct err *err)
{
    if (from >= until)
        return true;
    const struct item *item = tree->items[node];
    uint64_t *numbers OWN(own_mem) = NULL;
    const size_t count =
        tree_blocks_in(item, from / TREE_BLOCK, (until - 1) / TREE_BLOCK, &numbers);
    for (size_t i = 0; i < count; i++) {
        const uint64_t base = numbers[i] * TREE_BLOCK;
        const uint64_t start = from > base ? from - base : 0;
        const uint64_t end = until - base < TREE_BLOCK ? until - base : TREE_BLOCK;
        struct block *old = block_at(item, numbers[i]);
        const struct block_recipe recipe = {
            .parts = {{.block = old, .start = 0, .size = (uint16_t)start, .at = 0},
                      {.block = old,
                       .start = (uint16_t)end,
                       .size = (uint16_t)(TREE_BLOCK - end),
                       .at = (uint16_t)end}},
            .count = 2};
        struct block *block = NULL;
        if (end - start < TREE_BLOCK && !block_make(&tree->maker, &recipe, &block, err))
            return false;
        tree_set_block(tree, node, numbers[i], block);
    }
    return true;
}

bool tree_truncate(struct tree *tree, const struct op *op, struct err *err)
{
    const struct item *item = expect_file(tree, op, err);
    if (!item || !expect_range(tree, op, op->size, 0, err))
        return false;
    if (!clear(tree, op->node, op->size, item->stat.size, err))
        return false;
    set_size(tree, op, op->size);
    return true;
}

/* A stretch of a file that keeps its bytes but lies elsewhere afterwards. */
struct stretch {
    uint64_t start, end; /* in the new content */
    uint64_t from;       /* where `start` lay in the old content */
};

/* The part of a stretch that falls into a block comes from one or two old blocks. */
static void add_parts(const struct map *old, const struct stretch *stretch, uint64_t number,
                      struct block_recipe *recipe)
{
    const uint64_t base = number * TREE_BLOCK;
    uint64_t at = stretch->start > base ? stretch->start : base;
    const uint64_t end = stretch->end < base + TREE_BLOCK ? stretch->end : base + TREE_BLOCK;
    while (at < end) {
        const uint64_t source = stretch->from + (at - stretch->start);
        const uint64_t start = source % TREE_BLOCK;
        const uint64_t room = TREE_BLOCK - start;
        const uint64_t size = room < end - at ? room : end - at;
        uint64_t value;
        struct block *block = map_get(old, source / TREE_BLOCK, &value) ? block_of(value) : NULL;
        recipe->parts[recipe->count++] = (struct block_part){.block = block,
                                                             .start = (uint16_t)start,
                                                             .size = (uint16_t)size,
                                                             .at = (uint16_t)(at - base)};
        at += size;
    }
}

/* Where everything of a file goes. */
struct move {
    uint32_t node;
    struct map old;
    struct stretch stretches[2];
};

static bool rebuild(struct tree *tree, const struct move *move, uint64_t number, struct err *err)
{
    struct block_recipe recipe = {0};
    add_parts(&move->old, &move->stretches[0], number, &recipe);
    add_parts(&move->old, &move->stretches[1], number, &recipe);
    struct block *block = NULL;
    if (recipe.count == 1 && recipe.parts[0].size == TREE_BLOCK) {
        block = block_keep(recipe.parts[0].block);
    } else if (!block_make(&tree->maker, &recipe, &block, err)) {
        return false;
    }
    tree_set_block(tree, move->node, number, block);
    return true;
}

/* A copy of a map of blocks, with references of its own. */
static void copy_blocks(const struct map *from, struct map *to)
{
    uint64_t number;
    uint64_t value;
    for (size_t at = 0; map_next(from, &at, &number, &value);) {
        block_keep(block_of(value));
        map_put(to, number, value);
    }
}

static void drop_blocks(struct map *map)
{
    uint64_t number;
    uint64_t value;
    for (size_t at = 0; map_next(map, &at, &number, &value);) {
        block_drop(block_of(value));
    }
    map_fini(map);
}

/* A block gets other bytes, and its own go to one or two others. */
static bool rebuild_around(struct tree *tree, const struct op *op, const struct move *move,
                           uint64_t number, struct err *err)
{
    const struct stretch *moved = &move->stretches[1];
    const bool is_insert = moved->start > moved->from;
    const uint64_t first = op->offset / TREE_BLOCK;
    const uint64_t distance = op->size / TREE_BLOCK;
    if (!rebuild(tree, move, number, err))
        return false;
    if (!is_insert && number < first + distance)
        return true; /* falls out */
    const uint64_t to = is_insert ? number + distance : number - distance;
    if (!rebuild(tree, move, to, err))
        return false;
    if (op->size % TREE_BLOCK == 0 || (!is_insert && to == first))
        return true;
    return rebuild(tree, move, is_insert ? to + 1 : to - 1, err);
}

/* Moves everything behind `op->offset` by op->size bytes, to the front or to the back. The bytes
 * need not begin at our block size: a file system may have smaller blocks. */
static bool shift(struct tree *tree, const struct op *op, bool is_insert, struct err *err)
{
    const struct item *item = tree->items[op->node];
    const uint64_t size = is_insert ? item->stat.size + op->size : item->stat.size - op->size;
    const uint64_t behind = op->offset + op->size;
    struct move move = {
        .node = op->node,
        .stretches = {{.start = 0, .end = op->offset, .from = 0},
                      {.start = is_insert ? behind : op->offset,
                       .end = size,
                       .from = is_insert ? op->offset : behind}},
    };
    const uint64_t first = op->offset / TREE_BLOCK;
    uint64_t *numbers OWN(own_mem) = NULL;
    const size_t count = tree_blocks_in(item, first, UINT64_MAX, &numbers);
    copy_blocks(&item->parts, &move.old);
    bool ok = rebuild(tree, &move, first, err);
    for (size_t i = 0; ok && i < count; i++)
        ok = rebuild_around(tree, op, &move, numbers[i], err);
    drop_blocks(&move.old);
    if (ok)
        set_size(tree, op, size);
    return ok;
}

static bool shift_checked(struct tree *tree, const struct op *op, bool is_insert, struct err *err)
{
    const struct item *item = tree->items[op->node];
    const uint64_t end = op->offset + (is_insert ? 0 : op->size);
    if (op->size == 0 || end > item->stat.size)
        return tree_misfit(tree, op, err, "the range reaches beyond the end of the file");
    return !is_insert || expect_range(tree, op, item->stat.size, op->size, err)
               ? shift(tree, op, is_insert, err)
               : false;
}

bool tree_allocate(struct tree *tree, const struct op *op, struct err *err)
{
    const struct item *item = expect_file(tree, op, err);
    if (!item || !expect_range(tree, op, op->offset, op->size, err))
        return false;
    /* Recorders may keep the mode in either field: it is both an argument and the flags. */
    const uint32_t mode = op->mode | op->call_flags;
    if (mode & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE))
        return shift_checked(tree, op, (mode & FALLOC_FL_INSERT_RANGE) != 0, err);
    const uint64_t end = op->offset + op->size;
    const bool is_clearing =
        (mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE | FALLOC_WRITE_ZEROES)) != 0;
    if (is_clearing && !clear(tree, op->node, op->offset, end, err))
        return false;
    const bool keeps_size = (mode & (FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE)) != 0;
    const bool is_longer = !keeps_size && end > item->stat.size;
    set_size(tree, op, is_longer ? end : item->stat.size);
    return true;
}
