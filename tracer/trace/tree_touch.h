/* tree_touch.h - what of a tree was touched since somebody last looked.
 *
 * The lists are made free of repeats when they have doubled, and when they are asked for: adding
 * costs next to nothing, and a tree that nobody mirrors holds each item a few times at most. */
#ifndef TRACE_TREE_TOUCH_H
#define TRACE_TREE_TOUCH_H

#include "tree.h"

struct touch {
    struct tree_block *blocks;
    size_t blocks_count, blocks_capacity, blocks_limit;
    struct tree_place *places;
    size_t places_count, places_capacity, places_limit;
    uint32_t *nodes;
    size_t nodes_count, nodes_capacity, nodes_limit;
};

void touch_fini(struct touch *touch);
void touch_block(struct touch *touch, uint32_t node, uint64_t block);
void touch_place(struct touch *touch, uint32_t dir, uint32_t name);
void touch_node(struct touch *touch, uint32_t node);
struct tree_touched touch_look(struct touch *touch);
void touch_clear(struct touch *touch);

#endif
