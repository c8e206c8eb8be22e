#include "tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tree_hash.h"
#include "tree_inside.h"

enum { ROOT_MODE = S_IFDIR | 0755 };

struct tree *tree_new(const struct trace *trace)
{
    struct tree *tree = mem_new(1, sizeof *tree);
    tree->trace = trace;
    tree->touch = mem_new(1, sizeof *tree->touch);
    block_maker_init(&tree->maker, trace);
    tree_set_known(tree, NODE_ROOT, true);
    tree_set_stat(
        tree, NODE_ROOT,
        &(struct tree_node){.mode = ROOT_MODE, .links = 1, .mtime_ns = -1, .atime_ns = -1}, 0);
    tree_digest(tree);
    return tree;
}

static void free_item(struct item *item)
{
    if (!item)
        return;
    uint64_t number;
    uint64_t value;
    for (size_t at = 0; S_ISREG(item->stat.mode) && map_next(&item->parts, &at, &number, &value);) {
        block_drop(block_of(value));
    }
    map_fini(&item->parts);
    free(item->names);
    free(item->xattrs);
    free(item);
}

void tree_free(struct tree *tree)
{
    if (!tree)
        return;
    while (tree->marks_count > 0)
        tree_keep(tree);
    for (size_t i = 0; i < tree->items_capacity; i++)
        free_item(tree->items[i]);
    free(tree->items);
    block_maker_fini(&tree->maker);
    free(tree->undos);
    free(tree->marks);
    free(tree->dirty.items);
    free(tree->relinked.items);
    map_fini(&tree->linked);
    touch_fini(tree->touch);
    free(tree->touch);
    free(tree);
}

bool tree_misfit(const struct tree *tree, const struct op *op, struct err *err, const char *fmt,
                 ...)
{
    char why[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(why, sizeof why, fmt, args);
    va_end(args);
    const struct trace *trace = tree->trace;
    const bool is_numbered = op >= trace->ops && op < trace->ops + trace->count;
    err_usage(err, "%s", why);
    if (is_numbered) {
        return err_while(err, "op %td of the trace (%s) does not fit", op - trace->ops,
                         op_call_name(op));
    }
    return err_while(err, "an op (%s) does not fit", op_call_name(op));
}

static bool set_mode(struct tree *tree, const struct op *op, struct err *err)
{
    const struct item *item = tree_item(tree, op->node);
    if (!item)
        return tree_misfit(tree, op, err, "there is no node %u", op->node);
    struct tree_node stat = item->stat;
    stat.mode = (stat.mode & S_IFMT) | (op->mode & ~(uint32_t)S_IFMT);
    tree_set_stat(tree, op->node, &stat, item->changed_ns);
    return true;
}

/* A new owner takes set-user-ID away, and set-group-ID where it means that (not: mandatory locks):
 * the kernel does so for everybody, root too. */
static bool set_owner(struct tree *tree, const struct op *op, struct err *err)
{
    const struct item *item = tree_item(tree, op->node);
    if (!item)
        return tree_misfit(tree, op, err, "there is no node %u", op->node);
    struct tree_node stat = item->stat;
    if (op->uid != UINT32_MAX)
        stat.uid = op->uid;
    if (op->gid != UINT32_MAX)
        stat.gid = op->gid;
    if (!S_ISDIR(stat.mode)) {
        stat.mode &= ~(uint32_t)S_ISUID;
        if (stat.mode & S_IXGRP)
            stat.mode &= ~(uint32_t)S_ISGID;
    }
    tree_set_stat(tree, op->node, &stat, item->changed_ns);
    return true;
}

static bool set_times(struct tree *tree, const struct op *op, struct err *err)
{
    const struct item *item = tree_item(tree, op->node);
    if (!item)
        return tree_misfit(tree, op, err, "there is no node %u", op->node);
    struct tree_node stat = item->stat;
    if (op->offset != UINT64_MAX)
        stat.atime_ns = (int64_t)op->offset;
    if (op->size != UINT64_MAX)
        stat.mtime_ns = (int64_t)op->size;
    tree_set_stat(tree, op->node, &stat, item->changed_ns);
    return true;
}

static bool set_xattr(struct tree *tree, const struct op *op, struct err *err)
{
    if (!tree_item(tree, op->node))
        return tree_misfit(tree, op, err, "there is no node %u", op->node);
    struct item_xattr xattr = {
        .xattr = {.name = op->name, .payload = op->payload, .size = (uint32_t)op->payload_size}};
    if (op->kind == OP_REMOVEXATTR) {
        tree_set_xattr(tree, op->node, &xattr, false);
        return true;
    }
    if (op->payload_size > UINT16_MAX + 1)
        return tree_misfit(tree, op, err, "the value of the attribute is too long");
    char *value OWN(own_mem) = mem_new(op->payload_size, 1);
    if (!trace_read(tree->trace, op->payload, value, op->payload_size, err))
        return false;
    xattr.value = tree_hash_bytes(value, op->payload_size);
    tree_set_xattr(tree, op->node, &xattr, true);
    return true;
}

static bool apply(struct tree *tree, const struct op *op, struct err *err)
{
    switch ((enum op_kind)op->kind) {
    case OP_WRITE:
    case OP_STORE:
        return tree_write(tree, op, 0, op->payload_size, err);
    case OP_TRUNCATE:
        return tree_truncate(tree, op, err);
    case OP_ALLOCATE:
        return tree_allocate(tree, op, err);
    case OP_CREATE:
        return tree_create(tree, op, err);
    case OP_LINK:
        return tree_link(tree, op, err);
    case OP_UNLINK:
    case OP_CARRY:
        return tree_unlink(tree, op, err);
    case OP_RENAME:
        return tree_rename(tree, op, err);
    case OP_CHMOD:
        return set_mode(tree, op, err);
    case OP_CHOWN:
        return set_owner(tree, op, err);
    case OP_TIMES:
        return set_times(tree, op, err);
    case OP_SETXATTR:
    case OP_REMOVEXATTR:
        return set_xattr(tree, op, err);
    case OP_SYNC:
    case OP_SYNC_RANGE:
    case OP_SYNC_MAP:
    case OP_SYNC_ALL:
    case OP_OUTPUT:
    case OP_CONNECT:
    case OP_SEND:
    case OP_RECEIVE:
    case OP_SHUTDOWN:
    case OP_START:
    case OP_EXEC:
    case OP_EXIT:
    case OP_LOCK:
    case OP_UNLOCK:
        return true;
    case OP_KIND_COUNT:
        break;
    }
    return tree_misfit(tree, op, err, "there is no kind %u of ops", op->kind);
}

bool tree_apply(struct tree *tree, const struct op *op, struct err *err)
{
    const bool ok = apply(tree, op, err);
    tree_digest(tree);
    return ok;
}

bool tree_apply_part(struct tree *tree, const struct op *op, uint64_t skip, uint64_t bytes,
                     struct err *err)
{
    CHECK(op->kind == OP_WRITE || op->kind == OP_STORE);
    CHECK(bytes > 0 && skip <= op->payload_size && bytes <= op->payload_size - skip);
    const bool ok = tree_write(tree, op, skip, bytes, err);
    tree_digest(tree);
    return ok;
}
