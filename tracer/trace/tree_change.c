/* The five ways to change a tree, and the way back. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tree_hash.h"
#include "tree_inside.h"

static void list_add(struct number_list *list, uint32_t number)
{
    mem_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items);
    list->items[list->count++] = number;
}

static void make_dirty(struct tree *tree, uint32_t node)
{
    struct item *item = tree->items[node];
    touch_node(tree->touch, node);
    if (item->is_dirty)
        return;
    item->is_dirty = true;
    list_add(&tree->dirty, node);
}

static void remember(struct tree *tree, const struct undo *undo)
{
    if (tree->marks_count == 0) {
        if (undo->kind == UNDO_BLOCK)
            block_drop(undo->old.block);
        return;
    }
    mem_grow(&tree->undos, &tree->undos_capacity, tree->undos_count + 1, sizeof *tree->undos);
    tree->undos[tree->undos_count++] = *undo;
}

/* What a block adds to the hash of its file: zero for a block of zeros. */
static struct tree_hash block_share(uint64_t number, const struct block *block)
{
    if (!block)
        return (struct tree_hash){0};
    return tree_hash_mix((struct tree_hash){.low = number, .high = 1}, block->hash);
}

struct tree_hash tree_block_share(uint64_t number, const uint8_t *bytes)
{
    if (bytes[0] == 0 && memcmp(bytes, bytes + 1, TREE_BLOCK - 1) == 0)
        return (struct tree_hash){0};
    return tree_hash_mix((struct tree_hash){.low = number, .high = 1},
                         tree_hash_bytes(bytes, TREE_BLOCK));
}

struct tree_hash tree_content(const struct tree *tree, uint32_t node)
{
    return tree->items[node]->parts_sum;
}

void tree_set_block(struct tree *tree, uint32_t node, uint64_t number, struct block *block)
{
    struct item *item = tree->items[node];
    uint64_t value = 0;
    struct block *old = map_get(&item->parts, number, &value) ? block_of(value) : NULL;
    if (old == block || (old && block && tree_hash_equal(old->hash, block->hash))) {
        block_drop(block);
        return;
    }
    item->parts_sum = tree_hash_subtract(item->parts_sum, block_share(number, old));
    item->parts_sum = tree_hash_add(item->parts_sum, block_share(number, block));
    if (block) {
        map_put(&item->parts, number, block_number(block));
    } else {
        map_remove(&item->parts, number);
    }
    /* Last, because it drops the old block when nobody wants to go back to it. */
    remember(tree,
             &(struct undo){.kind = UNDO_BLOCK, .node = node, .key = number, .old.block = old});
    touch_block(tree->touch, node, number);
    make_dirty(tree, node);
}

void tree_set_stat(struct tree *tree, uint32_t node, const struct tree_node *stat,
                   int64_t changed_ns)
{
    struct item *item = tree->items[node];
    struct undo undo = {.kind = UNDO_STAT, .node = node};
    undo.old.attributes.stat = item->stat;
    undo.old.attributes.changed_ns = item->changed_ns;
    remember(tree, &undo);
    item->stat = *stat;
    item->changed_ns = changed_ns;
    make_dirty(tree, node);
}

/* What an entry adds to the hash of its directory. */
static struct tree_hash entry_share(const struct tree *tree, uint32_t name, uint32_t node)
{
    const char *text = trace_string(tree->trace, name);
    return tree_hash_mix(tree_hash_bytes(text, strlen(text)), tree->items[node]->published);
}

static void note_relinked(struct tree *tree, uint32_t node, size_t names_before)
{
    struct item *item = tree->items[node];
    if (S_ISDIR(item->stat.mode)) {
        if (item->parts.count > 0 && tree->linked.count > 0)
            tree->is_all_relinked = true;
        return;
    }
    if (item->is_relinked || (names_before < 2 && item->names_count < 2))
        return;
    item->is_relinked = true;
    list_add(&tree->relinked, node);
}

static void add_name(struct tree *tree, struct tree_place place, uint32_t node)
{
    struct item *dir = tree->items[place.dir];
    struct item *item = tree->items[node];
    mem_grow(&item->names, &item->names_capacity, item->names_count + 1, sizeof *item->names);
    item->names[item->names_count++] = place;
    item->stat.links = (uint32_t)item->names_count;
    map_put(&dir->parts, place.name, node);
    dir->parts_sum = tree_hash_add(dir->parts_sum, entry_share(tree, place.name, node));
    note_relinked(tree, node, item->names_count - 1);
    touch_node(tree->touch, node);
}

static void drop_name(struct tree *tree, struct tree_place place, uint32_t node)
{
    struct item *dir = tree->items[place.dir];
    struct item *item = tree->items[node];
    size_t at = 0;
    while (item->names[at].dir != place.dir || item->names[at].name != place.name)
        at++;
    item->names[at] = item->names[--item->names_count];
    item->stat.links = (uint32_t)item->names_count;
    map_remove(&dir->parts, place.name);
    dir->parts_sum = tree_hash_subtract(dir->parts_sum, entry_share(tree, place.name, node));
    note_relinked(tree, node, item->names_count + 1);
    touch_node(tree->touch, node);
}

void tree_set_entry(struct tree *tree, uint32_t dir, uint32_t name, uint32_t node)
{
    const struct tree_place place = {.dir = dir, .name = name};
    const uint32_t old = tree_lookup(tree, dir, name);
    if (old == node)
        return;
    remember(tree, &(struct undo){.kind = UNDO_ENTRY, .node = dir, .key = name, .old.entry = old});
    if (old != NODE_NONE)
        drop_name(tree, place, old);
    if (node != NODE_NONE)
        add_name(tree, place, node);
    touch_place(tree->touch, dir, name);
    make_dirty(tree, dir);
}

static size_t xattr_index(const struct tree *tree, const struct item *item, uint32_t name)
{
    const char *text = trace_string(tree->trace, name);
    size_t at = 0;
    while (at < item->xattrs_count &&
           strcmp(trace_string(tree->trace, item->xattrs[at].xattr.name), text) < 0)
        at++;
    return at;
}

static struct tree_hash xattr_share(const struct tree *tree, const struct item_xattr *xattr)
{
    const char *text = trace_string(tree->trace, xattr->xattr.name);
    return tree_hash_mix(tree_hash_bytes(text, strlen(text)), xattr->value);
}

static void remove_xattr(struct tree *tree, struct item *item, size_t at)
{
    item->xattrs_sum = tree_hash_subtract(item->xattrs_sum, xattr_share(tree, &item->xattrs[at]));
    memmove(&item->xattrs[at], &item->xattrs[at + 1],
            (item->xattrs_count - at - 1) * sizeof *item->xattrs);
    item->xattrs_count--;
}

static void insert_xattr(struct tree *tree, struct item *item, size_t at,
                         const struct item_xattr *xattr)
{
    mem_grow(&item->xattrs, &item->xattrs_capacity, item->xattrs_count + 1, sizeof *item->xattrs);
    memmove(&item->xattrs[at + 1], &item->xattrs[at],
            (item->xattrs_count - at) * sizeof *item->xattrs);
    item->xattrs[at] = *xattr;
    item->xattrs_count++;
    item->xattrs_sum = tree_hash_add(item->xattrs_sum, xattr_share(tree, xattr));
}

void tree_set_xattr(struct tree *tree, uint32_t node, const struct item_xattr *xattr, bool is_set)
{
    struct item *item = tree->items[node];
    const size_t at = xattr_index(tree, item, xattr->xattr.name);
    const bool was_set =
        at < item->xattrs_count && item->xattrs[at].xattr.name == xattr->xattr.name;
    remember(tree, &(struct undo){.kind = UNDO_XATTR,
                                  .node = node,
                                  .key = was_set,
                                  .old.xattr = was_set ? item->xattrs[at] : *xattr});
    if (was_set)
        remove_xattr(tree, item, at);
    if (is_set)
        insert_xattr(tree, item, at, xattr);
    make_dirty(tree, node);
}

static void make_room(struct tree *tree, uint32_t node)
{
    const size_t before = tree->items_capacity;
    mem_grow(&tree->items, &tree->items_capacity, (size_t)node + 1, sizeof(void *));
    for (size_t i = before; i < tree->items_capacity; i++)
        tree->items[i] = NULL;
    if (!tree->items[node])
        tree->items[node] = mem_new(1, sizeof *tree->items[node]);
}

void tree_set_known(struct tree *tree, uint32_t node, bool is_known)
{
    make_room(tree, node);
    struct item *item = tree->items[node];
    remember(tree,
             &(struct undo){.kind = UNDO_KNOWN, .node = node, .old.is_known = item->is_known});
    item->is_known = is_known;
    make_dirty(tree, node);
}

static void undo_one(struct tree *tree, const struct undo *undo)
{
    switch (undo->kind) {
    case UNDO_BLOCK:
        tree_set_block(tree, undo->node, undo->key, undo->old.block);
        return;
    case UNDO_STAT:
        tree_set_stat(tree, undo->node, &undo->old.attributes.stat,
                      undo->old.attributes.changed_ns);
        return;
    case UNDO_ENTRY:
        tree_set_entry(tree, undo->node, (uint32_t)undo->key, undo->old.entry);
        return;
    case UNDO_XATTR:
        tree_set_xattr(tree, undo->node, &undo->old.xattr, undo->key != 0);
        return;
    case UNDO_KNOWN:
        tree_set_known(tree, undo->node, undo->old.is_known);
        return;
    }
    UNREACHABLE("every kind of undo has an arm above");
}

void tree_mark(struct tree *tree)
{
    mem_grow(&tree->marks, &tree->marks_capacity, tree->marks_count + 1, sizeof *tree->marks);
    tree->marks[tree->marks_count++] = tree->undos_count;
}

/* The changes that undo itself makes are not to be remembered, so the marks are hidden meanwhile;
 * an old value whose reference it passes on is then dropped by nobody. */
void tree_undo(struct tree *tree)
{
    CHECK(tree->marks_count > 0);
    const size_t marks = tree->marks_count - 1;
    const size_t until = tree->marks[marks];
    tree->marks_count = 0;
    while (tree->undos_count > until)
        undo_one(tree, &tree->undos[--tree->undos_count]);
    tree->marks_count = marks;
    tree_digest(tree);
}

void tree_keep(struct tree *tree)
{
    CHECK(tree->marks_count > 0);
    if (--tree->marks_count > 0)
        return;
    while (tree->undos_count > 0) {
        const struct undo *undo = &tree->undos[--tree->undos_count];
        if (undo->kind == UNDO_BLOCK)
            block_drop(undo->old.block);
    }
}
