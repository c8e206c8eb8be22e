/* Names come, go and move; nodes come into being. */
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tree_hash.h"
#include "tree_inside.h"

static bool is_folder(const struct tree *tree, uint32_t node)
{
    const struct item *item = tree_item(tree, node);
    return item && S_ISDIR(item->stat.mode);
}

static const char *name_of(const struct tree *tree, uint32_t name)
{
    return trace_string(tree->trace, name);
}

/* An entry came or went: the directory's mtime is that moment again, whatever was set before. */
static void change_folder(struct tree *tree, uint32_t dir, int64_t time_ns)
{
    struct tree_node stat = tree->items[dir]->stat;
    stat.mtime_ns = -1;
    tree_set_stat(tree, dir, &stat, time_ns);
}

static bool expect_free(const struct tree *tree, const struct op *op, struct tree_place place,
                        struct err *err)
{
    if (!is_folder(tree, place.dir))
        return tree_misfit(tree, op, err, "node %u is no folder", place.dir);
    if (place.name == 0)
        return tree_misfit(tree, op, err, "the name is empty");
    const uint32_t there = tree_lookup(tree, place.dir, place.name);
    if (there != NODE_NONE) {
        return tree_misfit(tree, op, err, "folder %u has \"%s\" already (node %u)", place.dir,
                           name_of(tree, place.name), there);
    }
    return true;
}

static bool expect_entry(const struct tree *tree, const struct op *op, struct tree_place place,
                         uint32_t node, struct err *err)
{
    if (!is_folder(tree, place.dir))
        return tree_misfit(tree, op, err, "node %u is no folder", place.dir);
    const uint32_t there = tree_lookup(tree, place.dir, place.name);
    if (there != node || node == NODE_NONE) {
        return tree_misfit(tree, op, err, "\"%s\" in folder %u is node %u, not %u",
                           name_of(tree, place.name), place.dir, there, node);
    }
    return true;
}

static bool hash_target(const struct tree *tree, const struct op *op, struct tree_hash *out,
                        struct err *err)
{
    *out = (struct tree_hash){0};
    if (!S_ISLNK(op->mode))
        return true;
    if (op->payload_size >= UINT32_MAX)
        return tree_misfit(tree, op, err, "the target of the link is too long");
    char *text OWN(own_mem) = mem_new(op->payload_size, 1);
    if (!trace_read(tree->trace, op->payload, text, op->payload_size, err))
        return false;
    *out = tree_hash_bytes(text, op->payload_size);
    return true;
}

bool tree_create(struct tree *tree, const struct op *op, struct err *err)
{
    if (op->node <= NODE_ROOT || op->node >= tree->trace->nodes)
        return tree_misfit(tree, op, err, "there is no node %u", op->node);
    if (tree_item(tree, op->node))
        return tree_misfit(tree, op, err, "node %u exists already", op->node);
    const struct tree_place place = {.dir = op->dir, .name = op->name};
    if (op->dir != NODE_NONE && !expect_free(tree, op, place, err))
        return false;
    struct tree_hash target;
    if (!hash_target(tree, op, &target, err))
        return false;
    const bool is_link = S_ISLNK(op->mode);
    tree_set_known(tree, op->node, true);
    tree->items[op->node]->target_hash = target;
    tree_set_stat(tree, op->node,
                  &(struct tree_node){
                      .mode = op->mode,
                      .uid = op->uid,
                      .gid = op->gid,
                      .mtime_ns = -1,
                      .atime_ns = -1,
                      .device = S_ISBLK(op->mode) || S_ISCHR(op->mode) ? (uint32_t)op->size : 0,
                      .target = is_link ? op->payload : 0,
                      .target_size = is_link ? (uint32_t)op->payload_size : 0,
                  },
                  op->time_ns);
    if (op->dir == NODE_NONE)
        return true;
    tree_set_entry(tree, op->dir, op->name, op->node);
    change_folder(tree, op->dir, op->time_ns);
    return true;
}

bool tree_link(struct tree *tree, const struct op *op, struct err *err)
{
    const struct item *item = tree_item(tree, op->node);
    if (!item || S_ISDIR(item->stat.mode)) {
        return tree_misfit(tree, op, err, "node %u is %s", op->node,
                           item ? "a folder" : "not there");
    }
    if (!expect_free(tree, op, (struct tree_place){.dir = op->dir, .name = op->name}, err))
        return false;
    tree_set_entry(tree, op->dir, op->name, op->node);
    change_folder(tree, op->dir, op->time_ns);
    return true;
}

bool tree_unlink(struct tree *tree, const struct op *op, struct err *err)
{
    const struct tree_place place = {.dir = op->dir, .name = op->name};
    if (!expect_entry(tree, op, place, op->node, err))
        return false;
    const struct item *item = tree->items[op->node];
    if (op->kind == OP_UNLINK && S_ISDIR(item->stat.mode) && item->parts.count > 0)
        return tree_misfit(tree, op, err, "folder \"%s\" is not empty", name_of(tree, op->name));
    tree_set_entry(tree, op->dir, op->name, NODE_NONE);
    change_folder(tree, op->dir, op->time_ns);
    return true;
}

/* A folder may not go into itself: there would be a ring without a way to the root. */
static bool expect_outside(const struct tree *tree, const struct op *op, uint32_t node,
                           uint32_t into, struct err *err)
{
    if (!is_folder(tree, node))
        return true;
    for (uint32_t at = into; at != NODE_ROOT;) {
        if (at == node)
            return tree_misfit(tree, op, err, "folder %u would go into itself", node);
        const struct item *item = tree->items[at];
        if (item->names_count == 0)
            return true;
        at = item->names[0].dir;
    }
    return true;
}

static bool expect_replaceable(const struct tree *tree, const struct op *op, uint32_t old,
                               struct err *err)
{
    if (old != op->node2) {
        return tree_misfit(tree, op, err, "\"%s\" in folder %u is node %u, not %u",
                           name_of(tree, op->name2), op->dir2, old, op->node2);
    }
    if (old == NODE_NONE)
        return true;
    if (op->call_flags & RENAME_NOREPLACE) {
        return tree_misfit(tree, op, err, "\"%s\" was not to be replaced",
                           name_of(tree, op->name2));
    }
    if (is_folder(tree, old) != is_folder(tree, op->node))
        return tree_misfit(tree, op, err, "a folder and a file cannot replace each other");
    if (is_folder(tree, old) && tree->items[old]->parts.count > 0)
        return tree_misfit(tree, op, err, "folder \"%s\" is not empty", name_of(tree, op->name2));
    return true;
}

static bool exchange(struct tree *tree, const struct op *op, struct err *err)
{
    const struct tree_place place = {.dir = op->dir2, .name = op->name2};
    if (!expect_entry(tree, op, place, op->node2, err) ||
        !expect_outside(tree, op, op->node2, op->dir, err))
        return false;
    tree_set_entry(tree, op->dir, op->name, NODE_NONE);
    tree_set_entry(tree, op->dir2, op->name2, op->node);
    tree_set_entry(tree, op->dir, op->name, op->node2);
    return true;
}

bool tree_rename(struct tree *tree, const struct op *op, struct err *err)
{
    const struct tree_place from = {.dir = op->dir, .name = op->name};
    if (!expect_entry(tree, op, from, op->node, err))
        return false;
    if (!is_folder(tree, op->dir2) || op->name2 == 0)
        return tree_misfit(tree, op, err, "there is no folder %u to move to", op->dir2);
    if (!expect_outside(tree, op, op->node, op->dir2, err))
        return false;
    const uint32_t old = tree_lookup(tree, op->dir2, op->name2);
    if (old == op->node)
        return true; /* two names of one file: rename leaves both */
    if (op->call_flags & RENAME_EXCHANGE) {
        if (!exchange(tree, op, err))
            return false;
    } else {
        if (!expect_replaceable(tree, op, old, err))
            return false;
        tree_set_entry(tree, op->dir, op->name, NODE_NONE);
        tree_set_entry(tree, op->dir2, op->name2, op->node);
    }
    change_folder(tree, op->dir, op->time_ns);
    if (op->dir2 != op->dir)
        change_folder(tree, op->dir2, op->time_ns);
    return true;
}
