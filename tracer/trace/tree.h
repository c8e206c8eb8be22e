/* tree.h - the workspace as the ops make it: nodes, names and bytes, in memory.
 *
 * tree_apply does to the tree what the kernel did to the directory. Content is not held: a block of
 * 4 KiB is a short list of pieces of the trace's payload file, so a tree of a 1 GB file is small.
 * A hash of the whole visible state is kept up to date with each change.
 *
 * Everything that changes the tree notes which nodes and blocks it touched (for disk.h), and can be
 * taken back: tree_mark, changes, tree_undo. Marks nest.
 *
 * The hash covers what a program can see and the trace decides: names, types, link structure,
 * sizes, bytes (a hole reads as zeros), permission bits, owners, extended attributes, targets of
 * symbolic links, and times that were set by a call. It does not cover inode numbers, times that a
 * write leaves behind, nor which blocks are allocated. Nodes without a name do not count. */
#ifndef TRACE_TREE_H
#define TRACE_TREE_H

#include "trace.h"

enum { TREE_BLOCK = 4096 };

struct tree;

struct tree_hash {
    uint64_t low, high;
};

/* What stat would say. times: -1 in mtime_ns means never set. */
struct tree_node {
    uint32_t mode; /* type and permission bits */
    uint32_t uid, gid;
    uint32_t links; /* names that lead to it (a directory: 0 or 1) */
    uint64_t size;  /* regular files: bytes */
    int64_t mtime_ns;
    int64_t atime_ns;
    uint32_t device; /* of device nodes */
    uint64_t target; /* symbolic links: payload place and size */
    uint32_t target_size;
};

/* A tree with nothing but an empty root directory, of a trace that outlives it. */
struct tree *tree_new(const struct trace *trace);
void tree_free(struct tree *tree);
const struct trace *tree_trace(const struct tree *tree);

/* Applies one op. false: the op does not fit the tree (a broken trace: it names op and object), or
 * the payload could not be read. Ops that change no workspace are accepted and do nothing. */
MUST_USE bool tree_apply(struct tree *tree, const struct op *op, struct err *err);

/* Applies the first `bytes` bytes (at least 1, less than all) of an OP_WRITE, or bytes
 * [skip, skip + bytes) of an OP_WRITE or OP_STORE. */
MUST_USE bool tree_apply_part(struct tree *tree, const struct op *op, uint64_t skip, uint64_t bytes,
                              struct err *err);

/* From tree_mark on, changes are remembered; tree_undo takes back all since the latest mark and
 * drops that mark; tree_keep only drops it. */
void tree_mark(struct tree *tree);
void tree_undo(struct tree *tree);
void tree_keep(struct tree *tree);

struct tree_hash tree_hash(const struct tree *tree);
static inline bool tree_hash_equal(struct tree_hash a, struct tree_hash b)
{
    return a.low == b.low && a.high == b.high;
}

/* NULL when the node is not known (never created so far). */
const struct tree_node *tree_node(const struct tree *tree, uint32_t node);

/* The node under a name (number in the trace's strings) of a directory, or NODE_NONE. */
uint32_t tree_lookup(const struct tree *tree, uint32_t dir, uint32_t name);

/* The node at a path relative to the workspace ("a/b", "" is the root), links not followed. */
uint32_t tree_find(const struct tree *tree, const char *path);

/* One path of a node relative to the workspace, or NULL when it has none. Caller frees. */
char *tree_path(const struct tree *tree, uint32_t node);

/* The entries of a directory, sorted by name. Caller frees *out. */
struct tree_entry {
    uint32_t name;
    uint32_t node;
};
size_t tree_entries(const struct tree *tree, uint32_t dir, struct tree_entry **out);

/* Reads bytes [offset, offset + size) of a regular file, zeros in holes; returns how many there
 * were before its end. */
MUST_USE bool tree_read(const struct tree *tree, uint32_t node, uint64_t offset, void *to,
                        size_t size, size_t *got, struct err *err);

/* Hash of a regular file's bytes: the sum (tree_hash.h) of the shares of its blocks. A block's
 * share is of TREE_BLOCK bytes, zeros after the end of the file; one of nothing but zeros has none.
 */
struct tree_hash tree_content(const struct tree *tree, uint32_t node);
struct tree_hash tree_block_share(uint64_t number, const uint8_t *bytes);

/* Extended attributes, in order of their names; the value is a place in the payload. false at the
 * end of the list. */
struct tree_xattr {
    uint32_t name;
    uint64_t payload;
    uint32_t size;
};
bool tree_xattr(const struct tree *tree, uint32_t node, size_t index, struct tree_xattr *out);

/* When its content (a directory: its entries) was last changed by an op, in ns since 1970; what its
 * mtime is unless a call set one. 0 when the node is not known. Not in the hash. */
int64_t tree_changed_ns(const struct tree *tree, uint32_t node);

/* Whether some name leads from the root to the node. */
bool tree_is_visible(const struct tree *tree, uint32_t node);

/* The numbers of the blocks of a regular file that hold anything but zeros, in growing order.
 * Caller frees *out. */
size_t tree_blocks(const struct tree *tree, uint32_t node, uint64_t **out);

/* What was touched since the last tree_touched_clear, by apply and by undo alike, each item once:
 * nodes (attributes, size, entries), blocks of regular files, and names. For the one disk.h mirror
 * that follows this tree. */
struct tree_block {
    uint32_t node;
    uint64_t block; /* number: offset / TREE_BLOCK */
};
struct tree_place {
    uint32_t dir, name;
};
struct tree_touched {
    const uint32_t *nodes;
    size_t nodes_count;
    const struct tree_block *blocks;
    size_t blocks_count;
    const struct tree_place *places; /* directory entries that came, went or changed */
    size_t places_count;
};
struct tree_touched tree_touched(const struct tree *tree);
void tree_touched_clear(struct tree *tree);

#endif
