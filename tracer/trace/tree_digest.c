/* Keeps the hashes of a tree up to date, from what changed up to the root. */
#include <string.h>
#include <sys/stat.h>

#include "tracer/base/mem.h"
#include "tree_hash.h"
#include "tree_inside.h"

/* Everything that one node shows, its entries or blocks included. Node numbers stay out of it, so
 * that equal states of two recordings have equal hashes. */
static struct tree_hash hash_item(const struct item *item)
{
    const struct tree_node *stat = &item->stat;
    const uint64_t facts[] = {
        stat->mode,
        (uint64_t)stat->uid << 32 | stat->gid,
        S_ISREG(stat->mode) ? stat->size : 0,
        (uint64_t)stat->mtime_ns,
        (uint64_t)stat->atime_ns,
        stat->device,
        item->parts_sum.low,
        item->parts_sum.high,
        item->xattrs_sum.low,
        item->xattrs_sum.high,
        item->target_hash.low,
        item->target_hash.high,
    };
    return tree_hash_bytes(facts, sizeof facts);
}

static struct tree_hash hash_name(const struct tree *tree, uint32_t name)
{
    const char *text = trace_string(tree->trace, name);
    return tree_hash_bytes(text, strlen(text));
}

static void pass_to(struct tree *tree, struct tree_place place, struct tree_hash from,
                    struct tree_hash to)
{
    struct item *dir = tree->items[place.dir];
    const struct tree_hash name = hash_name(tree, place.name);
    dir->parts_sum = tree_hash_subtract(dir->parts_sum, tree_hash_mix(name, from));
    dir->parts_sum = tree_hash_add(dir->parts_sum, tree_hash_mix(name, to));
    if (dir->is_dirty)
        return;
    dir->is_dirty = true;
    mem_grow(&tree->dirty.items, &tree->dirty.capacity, tree->dirty.count + 1,
             sizeof *tree->dirty.items);
    tree->dirty.items[tree->dirty.count++] = place.dir;
}

static void publish(struct tree *tree, struct item *item)
{
    const struct tree_hash hash = hash_item(item);
    if (tree_hash_equal(hash, item->published))
        return;
    for (size_t i = 0; i < item->names_count; i++)
        pass_to(tree, item->names[i], item->published, hash);
    item->published = hash;
}

/* The hash of a path; false when it does not begin at the root. */
static bool hash_path(const struct tree *tree, struct tree_place place, struct tree_hash *out)
{
    struct tree_hash hash = hash_name(tree, place.name);
    while (place.dir != NODE_ROOT) {
        const struct item *dir = tree->items[place.dir];
        if (dir->names_count == 0)
            return false;
        place = dir->names[0];
        hash = tree_hash_mix(hash, hash_name(tree, place.name));
    }
    *out = hash;
    return true;
}

/* Which names are one and the same file: the hash of the set of its paths. Nothing for a file with
 * one name, so that only hard links pay for hard links. */
static struct tree_hash hash_links(const struct tree *tree, const struct item *item)
{
    struct tree_hash sum = {0};
    size_t count = 0;
    for (size_t i = 0; i < item->names_count; i++) {
        struct tree_hash path;
        if (!hash_path(tree, item->names[i], &path))
            continue;
        sum = tree_hash_add(sum, path);
        count++;
    }
    const struct tree_hash nothing = {0};
    return count < 2 ? nothing : tree_hash_bytes(&sum, sizeof sum);
}

static void relink(struct tree *tree, uint32_t node)
{
    struct item *item = tree->items[node];
    item->is_relinked = false;
    const struct tree_hash part = hash_links(tree, item);
    tree->links_sum = tree_hash_subtract(tree->links_sum, item->links_part);
    tree->links_sum = tree_hash_add(tree->links_sum, part);
    item->links_part = part;
}

static void digest_links(struct tree *tree)
{
    for (size_t i = 0; i < tree->relinked.count; i++) {
        const uint32_t node = tree->relinked.items[i];
        relink(tree, node);
        if (tree->items[node]->names_count > 1) {
            map_put(&tree->linked, node, 0);
        } else {
            map_remove(&tree->linked, node);
        }
    }
    tree->relinked.count = 0;
    if (!tree->is_all_relinked)
        return;
    tree->is_all_relinked = false;
    uint64_t node;
    uint64_t unused;
    for (size_t at = 0; map_next(&tree->linked, &at, &node, &unused);)
        relink(tree, (uint32_t)node);
}

void tree_digest(struct tree *tree)
{
    /* A directory may stand in the list before a child that changes it again; it is then simply
     * appended once more. */
    for (size_t i = 0; i < tree->dirty.count; i++) {
        struct item *item = tree->items[tree->dirty.items[i]];
        item->is_dirty = false;
        publish(tree, item);
    }
    tree->dirty.count = 0;
    digest_links(tree);
}

struct tree_hash tree_hash(const struct tree *tree)
{
    return tree_hash_mix(tree->items[NODE_ROOT]->published, tree->links_sum);
}
