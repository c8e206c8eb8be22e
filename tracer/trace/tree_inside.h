/* tree_inside.h - what a tree is made of, for its own parts only.
 *
 * Every change goes through one of the five functions below. Each notes the old value when a mark
 * is set, what was touched, and whose hash is out of date; so undoing is to call them again with
 * the old values, in reverse order, and nothing else has to know about marks.
 *
 * Hashes are brought up to date by tree_digest, once for each op: from the changed nodes up to the
 * root. `published` is the hash of a node that its directories have in their sums. */
#ifndef TRACE_TREE_INSIDE_H
#define TRACE_TREE_INSIDE_H

#include "block.h"
#include "tracer/base/map.h"
#include "tree.h"
#include "tree_touch.h"

struct item_xattr {
    struct tree_xattr xattr;
    struct tree_hash value; /* hash of it */
};

/* A node. */
struct item {
    struct tree_node stat;
    int64_t changed_ns;
    struct map parts; /* regular file: block number to struct block *; directory: name to node */
    struct tree_place *names; /* stat.links many; the root has none and stat.links 1 */
    size_t names_count, names_capacity;
    struct item_xattr *xattrs; /* in order of their names */
    size_t xattrs_count, xattrs_capacity;
    struct tree_hash parts_sum, xattrs_sum, target_hash;
    struct tree_hash published;
    struct tree_hash links_part; /* its share of tree.links_sum */
    bool is_known, is_dirty, is_relinked;
};

/* One old value. */
struct undo {
    enum { UNDO_BLOCK, UNDO_STAT, UNDO_ENTRY, UNDO_XATTR, UNDO_KNOWN } kind;
    uint32_t node;
    uint64_t key; /* block number, name, or whether there was an attribute */
    union {
        struct block *block; /* a reference */
        struct {
            struct tree_node stat;
            int64_t changed_ns;
        } attributes;
        uint32_t entry;
        struct item_xattr xattr;
        bool is_known;
    } old;
};

struct number_list {
    uint32_t *items;
    size_t count, capacity;
};

struct tree {
    const struct trace *trace;
    struct item **items; /* by node number; NULL: never seen */
    size_t items_capacity;
    struct block_maker maker;
    struct undo *undos;
    size_t undos_count, undos_capacity;
    size_t *marks; /* numbers of undos at each mark */
    size_t marks_count, marks_capacity;
    struct number_list dirty;    /* nodes whose published hash may be old */
    struct number_list relinked; /* nodes whose links_part may be old */
    bool is_all_relinked;        /* a directory moved: so may all in `linked` */
    struct map linked;           /* nodes with several names */
    struct tree_hash links_sum;
    struct touch *touch;
};

/* The item of a known node, or NULL. */
struct item *tree_item(const struct tree *tree, uint32_t node);

/* The block may be NULL; the tree takes the reference over. */
void tree_set_block(struct tree *tree, uint32_t node, uint64_t number, struct block *block);
void tree_set_stat(struct tree *tree, uint32_t node, const struct tree_node *stat,
                   int64_t changed_ns);
/* node NODE_NONE: no such entry. */
void tree_set_entry(struct tree *tree, uint32_t dir, uint32_t name, uint32_t node);
void tree_set_xattr(struct tree *tree, uint32_t node, const struct item_xattr *xattr, bool is_set);
void tree_set_known(struct tree *tree, uint32_t node, bool is_known);

/* Brings all hashes up to date. */
void tree_digest(struct tree *tree);

/* Fills *err with what does not fit, and which op it is. Returns false. */
bool tree_misfit(const struct tree *tree, const struct op *op, struct err *err, const char *fmt,
                 ...) PRINTF(4, 5);

/* Content and names; see tree_apply. */
MUST_USE bool tree_write(struct tree *tree, const struct op *op, uint64_t skip, uint64_t bytes,
                         struct err *err);
MUST_USE bool tree_truncate(struct tree *tree, const struct op *op, struct err *err);
MUST_USE bool tree_allocate(struct tree *tree, const struct op *op, struct err *err);
MUST_USE bool tree_create(struct tree *tree, const struct op *op, struct err *err);
MUST_USE bool tree_link(struct tree *tree, const struct op *op, struct err *err);
MUST_USE bool tree_unlink(struct tree *tree, const struct op *op, struct err *err);
MUST_USE bool tree_rename(struct tree *tree, const struct op *op, struct err *err);

/* The blocks with a number in [first, last], unsorted. Caller frees *out. */
size_t tree_blocks_in(const struct item *item, uint64_t first, uint64_t last, uint64_t **out);

#endif
