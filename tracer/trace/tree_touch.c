#include "tree_touch.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/mem.h"

enum { LIMIT_MIN = 1024 };

void touch_fini(struct touch *touch)
{
    free(touch->blocks);
    free(touch->places);
    free(touch->nodes);
    *touch = (struct touch){0};
}

static int compare_blocks(const void *a, const void *b)
{
    const struct tree_block *x = a;
    const struct tree_block *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static int compare_places(const void *a, const void *b)
{
    const struct tree_place *x = a;
    const struct tree_place *y = b;
    if (x->dir != y->dir)
        return x->dir < y->dir ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t without_repeats(void *items, size_t count, size_t size,
                              int (*compare)(const void *, const void *))
{
    if (count < 2)
        return count;
    char *bytes = items;
    qsort(items, count, size, compare);
    size_t kept = 1;
    for (size_t i = 1; i < count; i++) {
        if (compare(bytes + (kept - 1) * size, bytes + i * size) == 0)
            continue;
        memmove(bytes + kept * size, bytes + i * size, size);
        kept++;
    }
    return kept;
}

static void shrink_blocks(struct touch *touch)
{
    touch->blocks_count =
        without_repeats(touch->blocks, touch->blocks_count, sizeof *touch->blocks, compare_blocks);
    touch->blocks_limit = touch->blocks_count * 2 + LIMIT_MIN;
}

static void shrink_places(struct touch *touch)
{
    touch->places_count =
        without_repeats(touch->places, touch->places_count, sizeof *touch->places, compare_places);
    touch->places_limit = touch->places_count * 2 + LIMIT_MIN;
}

static void shrink_nodes(struct touch *touch)
{
    touch->nodes_count =
        without_repeats(touch->nodes, touch->nodes_count, sizeof *touch->nodes, compare_nodes);
    touch->nodes_limit = touch->nodes_count * 2 + LIMIT_MIN;
}

void touch_block(struct touch *touch, uint32_t node, uint64_t block)
{
    if (touch->blocks_count > touch->blocks_limit)
        shrink_blocks(touch);
    mem_grow(&touch->blocks, &touch->blocks_capacity, touch->blocks_count + 1,
             sizeof *touch->blocks);
    touch->blocks[touch->blocks_count++] = (struct tree_block){.node = node, .block = block};
}

void touch_place(struct touch *touch, uint32_t dir, uint32_t name)
{
    if (touch->places_count > touch->places_limit)
        shrink_places(touch);
    mem_grow(&touch->places, &touch->places_capacity, touch->places_count + 1,
             sizeof *touch->places);
    touch->places[touch->places_count++] = (struct tree_place){.dir = dir, .name = name};
}

void touch_node(struct touch *touch, uint32_t node)
{
    if (touch->nodes_count > 0 && touch->nodes[touch->nodes_count - 1] == node)
        return;
    if (touch->nodes_count > touch->nodes_limit)
        shrink_nodes(touch);
    mem_grow(&touch->nodes, &touch->nodes_capacity, touch->nodes_count + 1, sizeof *touch->nodes);
    touch->nodes[touch->nodes_count++] = node;
}

struct tree_touched touch_look(struct touch *touch)
{
    shrink_blocks(touch);
    shrink_places(touch);
    shrink_nodes(touch);
    return (struct tree_touched){.nodes = touch->nodes,
                                 .nodes_count = touch->nodes_count,
                                 .blocks = touch->blocks,
                                 .blocks_count = touch->blocks_count,
                                 .places = touch->places,
                                 .places_count = touch->places_count};
}

void touch_clear(struct touch *touch)
{
    touch->blocks_count = 0;
    touch->places_count = 0;
    touch->nodes_count = 0;
}
