/* random_ops.h - for tests: a trace of random ops that fit the tree they are made for.
 *
 * All randomness comes from the seed; tests print it. The payload lies in memory. */
#ifndef TRACE_RANDOM_OPS_H
#define TRACE_RANDOM_OPS_H

#include "tree.h"

enum { RANDOM_FILE_MAX = 40000 };

struct random_ops {
    uint64_t state;
    struct trace trace;
    size_t ops_capacity;
    uint8_t *payload;
    uint32_t names[16];
    uint32_t xattrs[2];
    uint32_t uid, gid; /* owner of new nodes */
    bool want_owner;   /* chown too */
};

void random_ops_init(struct random_ops *random, uint64_t seed);
void random_ops_fini(struct random_ops *random);

/* 0 ... below - 1 */
uint64_t random_ops_draw(struct random_ops *random, uint64_t below);

/* Appends an op that fits the tree as it is. The pointer is good until the next call. */
const struct op *random_ops_next(struct random_ops *random, const struct tree *tree);

/* A known node of the tree that has the type (S_IFREG, ...), or NODE_NONE. */
uint32_t random_ops_node(struct random_ops *random, const struct tree *tree, uint32_t type);

#endif
