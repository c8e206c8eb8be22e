#include "nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static struct node_facts *facts_for(struct nodes *nodes, uint32_t node)
{
    const size_t need = (size_t)node + 1;
    if (need > nodes->count) {
        mem_grow(&nodes->facts, &nodes->capacity, need, sizeof *nodes->facts);
        memset(nodes->facts + nodes->count, 0, (need - nodes->count) * sizeof *nodes->facts);
        nodes->count = need;
    }
    return &nodes->facts[node];
}

void nodes_init(struct nodes *nodes, struct trace_writer *writer, uint64_t dev)
{
    *nodes = (struct nodes){.writer = writer, .dev = dev, .epoch = 1};
    facts_for(nodes, NODE_ROOT)->mode = S_IFDIR;
}

void nodes_fini(struct nodes *nodes)
{
    free(nodes->facts);
    map_fini(&nodes->by_ino);
    map_fini(&nodes->by_name);
    *nodes = (struct nodes){0};
}

struct node_facts *nodes_facts(const struct nodes *nodes, uint32_t node)
{
    return node < nodes->count ? &nodes->facts[node] : NULL;
}

static uint64_t name_key(uint32_t dir, uint32_t name)
{
    return (uint64_t)dir << 32 | name;
}

static void add_name(struct nodes *nodes, uint32_t dir, uint32_t name, uint32_t node)
{
    struct node_facts *facts = facts_for(nodes, node);
    map_put(&nodes->by_name, name_key(dir, name), node);
    facts->links++;
    facts->dir = dir;
    facts->name = name;
    facts->path_epoch = 0;
}

/* A node that has lost the name we knew it by may have others: rare, so searched for. */
static void find_other_name(const struct nodes *nodes, uint32_t node, struct node_facts *facts)
{
    size_t at = 0;
    uint64_t key, value;
    while (map_next(&nodes->by_name, &at, &key, &value)) {
        if (value == node) {
            facts->dir = (uint32_t)(key >> 32);
            facts->name = (uint32_t)key;
            return;
        }
    }
}

static void remove_name(struct nodes *nodes, uint32_t dir, uint32_t name)
{
    uint64_t node;
    if (!map_get(&nodes->by_name, name_key(dir, name), &node))
        return;
    map_remove(&nodes->by_name, name_key(dir, name));
    struct node_facts *facts = facts_for(nodes, (uint32_t)node);
    if (facts->links > 0)
        facts->links--;
    facts->path_epoch = 0;
    if (facts->dir == dir && facts->name == name && facts->links > 0)
        find_other_name(nodes, (uint32_t)node, facts);
}

static void forget_inode(struct nodes *nodes, uint32_t node)
{
    struct node_facts *facts = facts_for(nodes, node);
    uint64_t holder;
    if (facts->ino != 0 && map_get(&nodes->by_ino, facts->ino, &holder) && holder == node)
        map_remove(&nodes->by_ino, facts->ino);
    facts->ino = 0;
}

/* Whether the chain of directories above a node leads to `top`. */
static bool is_below(const struct nodes *nodes, uint32_t node, uint32_t top)
{
    while (node != NODE_ROOT && node != NODE_NONE) {
        if (node == top)
            return true;
        node = nodes->facts[node].dir;
    }
    return false;
}

/* All that lay below a directory that has left the workspace is the outside from now on. */
static void carry(struct nodes *nodes, const struct op *op)
{
    remove_name(nodes, op->dir, op->name);
    const bool is_folder = S_ISDIR(facts_for(nodes, op->node)->mode);
    for (uint32_t node = NODE_ROOT + 1; is_folder && node < nodes->count; node++) {
        struct node_facts *facts = &nodes->facts[node];
        if (node == op->node || facts->links == 0 || !is_below(nodes, node, op->node))
            continue;
        map_remove(&nodes->by_name, name_key(facts->dir, facts->name));
        if (--facts->links == 0)
            forget_inode(nodes, node);
    }
    if (facts_for(nodes, op->node)->links == 0)
        forget_inode(nodes, op->node);
    nodes->epoch++;
}

static void rename_name(struct nodes *nodes, const struct op *op)
{
    remove_name(nodes, op->dir, op->name);
    remove_name(nodes, op->dir2, op->name2);
    add_name(nodes, op->dir2, op->name2, op->node);
    if ((op->call_flags & RENAME_EXCHANGE) != 0)
        add_name(nodes, op->dir, op->name, op->node2);
    if (S_ISDIR(facts_for(nodes, op->node)->mode) ||
        (op->node2 != NODE_NONE && S_ISDIR(facts_for(nodes, op->node2)->mode)))
        nodes->epoch++;
}

static void grow_to(struct nodes *nodes, uint32_t node, uint64_t size)
{
    struct node_facts *facts = facts_for(nodes, node);
    if (facts->size < size)
        facts->size = size;
}

static void create(struct nodes *nodes, const struct op *op)
{
    *facts_for(nodes, op->node) = (struct node_facts){.mode = op->mode};
    if (op->dir != NODE_NONE)
        add_name(nodes, op->dir, op->name, op->node);
}

/* A new owner takes the set-id bits away: the op says so by itself. */
static void clear_set_id(struct node_facts *facts)
{
    if (S_ISDIR(facts->mode))
        return;
    facts->mode &= ~(uint32_t)S_ISUID;
    if ((facts->mode & S_IXGRP) != 0)
        facts->mode &= ~(uint32_t)S_ISGID;
}

void nodes_apply(struct nodes *nodes, const struct op *op)
{
    if (op->kind == OP_WRITE || op->kind == OP_STORE) {
        grow_to(nodes, op->node, op->offset + op->size);
    } else if (op->kind == OP_TRUNCATE) {
        facts_for(nodes, op->node)->size = op->size;
    } else if (op->kind == OP_CREATE) {
        create(nodes, op);
    } else if (op->kind == OP_LINK) {
        add_name(nodes, op->dir, op->name, op->node);
    } else if (op->kind == OP_UNLINK) {
        remove_name(nodes, op->dir, op->name);
    } else if (op->kind == OP_RENAME) {
        rename_name(nodes, op);
    } else if (op->kind == OP_CARRY) {
        carry(nodes, op);
    } else if (op->kind == OP_CHMOD) {
        struct node_facts *facts = facts_for(nodes, op->node);
        facts->mode = (facts->mode & S_IFMT) | (op->mode & ~(uint32_t)S_IFMT);
    } else if (op->kind == OP_CHOWN) {
        clear_set_id(facts_for(nodes, op->node));
    }
}

void nodes_set_ino(struct nodes *nodes, uint32_t node, uint64_t ino)
{
    facts_for(nodes, node)->ino = ino;
    map_put(&nodes->by_ino, ino, node);
}

void nodes_add_items(struct nodes *nodes, const struct snapshot_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        if (items->items[i].dev == nodes->dev)
            nodes_set_ino(nodes, items->items[i].node, items->items[i].ino);
    }
}

uint32_t nodes_of_inode(const struct nodes *nodes, uint64_t dev, uint64_t ino)
{
    uint64_t node;
    if (dev != nodes->dev || !map_get(&nodes->by_ino, ino, &node))
        return NODE_NONE;
    return (uint32_t)node;
}

uint32_t nodes_lookup(const struct nodes *nodes, uint32_t dir, const char *name)
{
    uint64_t node;
    const uint32_t number = strings_add(&nodes->writer->trace->strings, name);
    if (!map_get(&nodes->by_name, name_key(dir, number), &node))
        return NODE_NONE;
    return (uint32_t)node;
}

uint32_t nodes_path(struct nodes *nodes, uint32_t node)
{
    if (node == NODE_ROOT || node == NODE_NONE)
        return 0;
    struct node_facts *facts = facts_for(nodes, node);
    if (facts->path_epoch == nodes->epoch)
        return facts->path;
    if (facts->dir == NODE_NONE)
        return 0;
    /* A node that has lost its last name is still called by it: its open file is written to. */
    const char *name = strings_get(&nodes->writer->trace->strings, facts->name);
    char *path OWN(own_mem) = nodes_path_at(nodes, facts->dir, name);
    facts = facts_for(nodes, node);
    facts->path = strings_add(&nodes->writer->trace->strings, path);
    facts->path_epoch = nodes->epoch;
    return facts->path;
}

char *nodes_path_at(struct nodes *nodes, uint32_t dir, const char *name)
{
    const char *parent = strings_get(&nodes->writer->trace->strings, nodes_path(nodes, dir));
    return mem_format("%s%s%s", parent, *parent != '\0' && *name != '\0' ? "/" : "", name);
}
