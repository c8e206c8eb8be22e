#include "random_ops.h"

#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/mem.h"

enum { PAYLOAD = 1 << 18, NODES = 1 << 20, ZEROS = 1 << 16, SECOND = 1000000000 };

uint64_t random_ops_draw(struct random_ops *random, uint64_t below)
{
    random->state += 0x9e3779b97f4a7c15u;
    uint64_t x = random->state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % below;
}

void random_ops_init(struct random_ops *random, uint64_t seed)
{
    *random = (struct random_ops){.state = seed, .uid = geteuid(), .gid = getegid()};
    trace_init(&random->trace);
    random->payload = mem_new(PAYLOAD, 1);
    for (size_t i = ZEROS; i < PAYLOAD; i++)
        random->payload[i] = (uint8_t)random_ops_draw(random, 256);
    for (size_t i = ZEROS; i < ZEROS + 128; i++)
        random->payload[i] |= 1; /* targets of links are taken here: no NUL */
    random->trace.payload_map = random->payload;
    random->trace.payload_size = PAYLOAD;
    random->trace.nodes = NODE_ROOT + 1;
    for (size_t i = 0; i < 16; i++) {
        char name[16];
        snprintf(name, sizeof name, i % 5 == 4 ? "n\n%zu" : "n%zu", i);
        random->names[i] = strings_add(&random->trace.strings, name);
    }
    random->xattrs[0] = strings_add(&random->trace.strings, "user.a");
    random->xattrs[1] = strings_add(&random->trace.strings, "user.b");
}

void random_ops_fini(struct random_ops *random)
{
    random->trace.payload_map = NULL; /* ours, not mapped */
    free(random->payload);
    trace_fini(&random->trace);
}

uint32_t random_ops_node(struct random_ops *random, const struct tree *tree, uint32_t type)
{
    for (int attempt = 0; attempt < 40; attempt++) {
        const uint32_t node = (uint32_t)(1 + random_ops_draw(random, random->trace.nodes - 1));
        const struct tree_node *stat = tree_node(tree, node);
        if (stat && (stat->mode & S_IFMT) == type &&
            (tree_is_visible(tree, node) || random_ops_draw(random, 8) == 0))
            return node;
    }
    return NODE_NONE;
}

static uint32_t folder(struct random_ops *random, const struct tree *tree)
{
    const uint32_t node = random_ops_node(random, tree, S_IFDIR);
    return node && tree_is_visible(tree, node) ? node : NODE_ROOT;
}

static uint32_t name(struct random_ops *random)
{
    return random->names[random_ops_draw(random, 16)];
}

static void bytes(struct random_ops *random, struct op *op, uint64_t max)
{
    op->payload_size = 1 + random_ops_draw(random, max);
    op->payload = random_ops_draw(random, PAYLOAD - op->payload_size);
    if (random_ops_draw(random, 6) == 0)
        op->payload = random_ops_draw(random, 100); /* zeros, mostly */
}

static bool make_write(struct random_ops *random, const struct tree *tree, struct op *op)
{
    op->kind = OP_WRITE;
    op->node = random_ops_node(random, tree, S_IFREG);
    if (op->node == NODE_NONE)
        return false;
    bytes(random, op, random_ops_draw(random, 3) ? 200 : 10000);
    op->offset = random_ops_draw(random, RANDOM_FILE_MAX - 10000);
    if (random_ops_draw(random, 3) == 0) {
        op->offset &= ~(uint64_t)(TREE_BLOCK - 1);
        op->payload_size = TREE_BLOCK;
        op->payload = random_ops_draw(random, PAYLOAD - TREE_BLOCK);
    }
    return true;
}

static bool make_truncate(struct random_ops *random, const struct tree *tree, struct op *op)
{
    op->kind = OP_TRUNCATE;
    op->node = random_ops_node(random, tree, S_IFREG);
    op->size = random_ops_draw(random, RANDOM_FILE_MAX);
    return op->node != NODE_NONE;
}

static bool make_allocate(struct random_ops *random, const struct tree *tree, struct op *op)
{
    static const uint32_t modes[] = {0,
                                     FALLOC_FL_KEEP_SIZE,
                                     FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                     FALLOC_FL_ZERO_RANGE,
                                     FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE,
                                     FALLOC_FL_COLLAPSE_RANGE,
                                     FALLOC_FL_INSERT_RANGE};
    op->kind = OP_ALLOCATE;
    op->node = random_ops_node(random, tree, S_IFREG);
    if (op->node == NODE_NONE)
        return false;
    const uint64_t size = tree_node(tree, op->node)->size;
    op->mode = modes[random_ops_draw(random, 7)];
    op->offset = random_ops_draw(random, 20000);
    op->size = 1 + random_ops_draw(random, 10000);
    if (op->mode & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE)) {
        const uint64_t unit = random_ops_draw(random, 2) ? 4096 : 1024;
        op->offset -= op->offset % unit;
        op->size = unit * (1 + random_ops_draw(random, 5));
        if (op->mode & FALLOC_FL_COLLAPSE_RANGE)
            return op->offset + op->size < size;
        return op->offset < size && size + op->size < RANDOM_FILE_MAX;
    }
    return true;
}

static bool make_node(struct random_ops *random, const struct tree *tree, struct op *op)
{
    static const uint32_t types[] = {S_IFREG, S_IFREG, S_IFREG,  S_IFDIR,
                                     S_IFDIR, S_IFLNK, S_IFSOCK, S_IFIFO};
    op->kind = OP_CREATE;
    op->mode = types[random_ops_draw(random, 8)];
    op->uid = random->uid;
    op->gid = random->gid;
    op->dir = folder(random, tree);
    op->name = name(random);
    if (op->mode == S_IFLNK) {
        op->payload = ZEROS + random_ops_draw(random, 64);
        op->payload_size = 1 + random_ops_draw(random, 30);
    }
    op->mode |= S_ISLNK(op->mode) ? 0777 : 0600 | (uint32_t)random_ops_draw(random, 0200);
    if (op->mode == S_IFREG && random_ops_draw(random, 4) == 0)
        op->dir = op->name = 0;
    if (op->dir && tree_lookup(tree, op->dir, op->name) != NODE_NONE)
        return false;
    op->node = random->trace.nodes++;
    return true;
}

static bool make_link(struct random_ops *random, const struct tree *tree, struct op *op)
{
    op->kind = OP_LINK;
    op->node = random_ops_node(random, tree, random_ops_draw(random, 5) ? S_IFREG : S_IFLNK);
    op->dir = folder(random, tree);
    op->name = name(random);
    return op->node != NODE_NONE && tree_lookup(tree, op->dir, op->name) == NODE_NONE;
}

static bool is_empty(const struct tree *tree, uint32_t node)
{
    struct tree_entry *entries;
    const size_t count = tree_entries(tree, node, &entries);
    free(entries);
    return count == 0;
}

static bool make_unlink(struct random_ops *random, const struct tree *tree, struct op *op)
{
    op->kind = random_ops_draw(random, 6) ? OP_UNLINK : OP_CARRY;
    op->dir = folder(random, tree);
    op->name = name(random);
    op->node = tree_lookup(tree, op->dir, op->name);
    return op->node != NODE_NONE && (op->kind == OP_CARRY || is_empty(tree, op->node));
}

static bool is_inside(const struct tree *tree, uint32_t node, uint32_t dir)
{
    char *outer = tree_path(tree, node);
    char *inner = tree_path(tree, dir);
    const size_t size = strlen(outer);
    const bool is = strncmp(outer, inner, size) == 0 && (inner[size] == '/' || !inner[size]);
    free(outer);
    free(inner);
    return is;
}

static bool is_folder(const struct tree *tree, uint32_t node)
{
    return node != NODE_NONE && S_ISDIR(tree_node(tree, node)->mode);
}

static bool make_rename(struct random_ops *random, const struct tree *tree, struct op *op)
{
    op->kind = OP_RENAME;
    op->dir = folder(random, tree);
    op->name = name(random);
    op->dir2 = folder(random, tree);
    op->name2 = name(random);
    op->node = tree_lookup(tree, op->dir, op->name);
    op->node2 = tree_lookup(tree, op->dir2, op->name2);
    if (op->node == NODE_NONE || op->node == op->node2)
        return false;
    if (is_folder(tree, op->node) && is_inside(tree, op->node, op->dir2))
        return false;
    if (op->node2 == NODE_NONE)
        return true;
    if (random_ops_draw(random, 2) == 0) {
        op->call_flags = RENAME_EXCHANGE;
        return !is_folder(tree, op->node2) || !is_inside(tree, op->node2, op->dir);
    }
    return is_folder(tree, op->node) == is_folder(tree, op->node2) && is_empty(tree, op->node2);
}

static uint32_t any_node(struct random_ops *random, const struct tree *tree)
{
    const uint32_t node = random_ops_node(random, tree, S_IFREG);
    return node && random_ops_draw(random, 3) ? node : folder(random, tree);
}

static bool make_attribute(struct random_ops *random, const struct tree *tree, struct op *op)
{
    op->node = any_node(random, tree);
    switch (random_ops_draw(random, random->want_owner ? 5 : 4)) {
    case 0:
        op->kind = OP_CHMOD;
        op->mode = (uint32_t)random_ops_draw(random, 02000);
        break;
    case 1:
        op->kind = OP_TIMES;
        op->offset =
            random_ops_draw(random, 3) ? SECOND * random_ops_draw(random, 100) : UINT64_MAX;
        op->size = random_ops_draw(random, 3) ? SECOND * random_ops_draw(random, 100) : UINT64_MAX;
        break;
    case 2:
        op->kind = OP_SETXATTR;
        op->name = random->xattrs[random_ops_draw(random, 2)];
        bytes(random, op, 50);
        break;
    case 3:
        op->kind = OP_REMOVEXATTR;
        op->name = random->xattrs[random_ops_draw(random, 2)];
        break;
    default:
        op->kind = OP_CHOWN;
        op->uid = (uint32_t)random_ops_draw(random, 3);
        op->gid = random_ops_draw(random, 2) ? UINT32_MAX : (uint32_t)random_ops_draw(random, 3);
    }
    return true;
}

const struct op *random_ops_next(struct random_ops *random, const struct tree *tree)
{
    static bool (*const makers[])(struct random_ops *, const struct tree *, struct op *) = {
        make_write,    make_write,  make_write,  make_write,  make_truncate,
        make_allocate, make_node,   make_node,   make_node,   make_link,
        make_unlink,   make_rename, make_rename, make_rename, make_attribute};
    struct trace *trace = &random->trace;
    struct op op;
    do {
        op = (struct op){.time_ns = (int64_t)SECOND * 1000000 + trace->count};
    } while (!makers[random_ops_draw(random, sizeof makers / sizeof *makers)](random, tree, &op));
    mem_grow(&trace->ops, &random->ops_capacity, (size_t)trace->count + 1, sizeof op);
    trace->ops[trace->count] = op;
    return &trace->ops[trace->count++];
}
