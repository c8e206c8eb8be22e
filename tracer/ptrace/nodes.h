/* nodes.h - which inode is which node, and which name leads where, while recording.
 *
 * It follows the ops as they are written, but keeps only what resolving the next call needs: names,
 * link counts, sizes and permission bits, never content. Inodes are known for the workspace's own
 * file system only; everything else lies outside. The kernel gives an inode number again to a new
 * file, so a create always maps its inode anew. */
#ifndef PTRACE_NODES_H
#define PTRACE_NODES_H

#include "tracer/base/map.h"
#include "tracer/trace/snapshot.h"

struct node_facts {
    uint64_t ino; /* 0: not known */
    uint64_t size;
    uint32_t mode;
    uint32_t links;
    uint32_t dir, name; /* one of its names */
    uint32_t path;      /* string of its path; valid while path_epoch is the current one */
    uint32_t path_epoch;
};

struct nodes {
    struct trace_writer *writer;
    struct node_facts *facts; /* by node number */
    size_t capacity, count;
    struct map by_ino;
    struct map by_name; /* directory << 32 | name */
    uint64_t dev;       /* of the workspace */
    uint32_t epoch;     /* grows when a path may have changed */
};

void nodes_init(struct nodes *nodes, struct trace_writer *writer, uint64_t dev);
void nodes_fini(struct nodes *nodes);

/* Does to the tables what the op does to the workspace. */
void nodes_apply(struct nodes *nodes, const struct op *op);

/* The inodes of nodes that were read in. */
void nodes_add_items(struct nodes *nodes, const struct snapshot_items *items);
void nodes_set_ino(struct nodes *nodes, uint32_t node, uint64_t ino);

/* NODE_NONE: not in the workspace. */
uint32_t nodes_of_inode(const struct nodes *nodes, uint64_t dev, uint64_t ino);
uint32_t nodes_lookup(const struct nodes *nodes, uint32_t dir, const char *name);

struct node_facts *nodes_facts(const struct nodes *nodes, uint32_t node);

/* The number of the string with one path of the node, relative to the workspace; 0 (empty) for the
 * root and for nodes without a name. */
uint32_t nodes_path(struct nodes *nodes, uint32_t node);

/* The path of a name in a directory, there or not. Caller frees. */
char *nodes_path_at(struct nodes *nodes, uint32_t dir, const char *name);

#endif
