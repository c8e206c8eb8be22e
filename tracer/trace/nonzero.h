/* nonzero.h - where a file and its node may differ from zeros.
 *
 * A file may be larger than all memory and disks, and nearly all of it a hole. Whoever compares one
 * with its node asks here where to look next, and jumps over what is a hole on both sides. */
#ifndef TRACE_NONZERO_H
#define TRACE_NONZERO_H

#include "tree.h"

struct nonzero {
    int fd;
    uint64_t *blocks; /* of the node */
    size_t count, next;
};

/* fd is borrowed. */
void nonzero_init(struct nonzero *nonzero, const struct tree *tree, uint32_t node, int fd);
void nonzero_fini(struct nonzero *nonzero);

/* The first place at or after an offset (growing from call to call) where bytes may be anything but
 * zeros, in the file or in the node; UINT64_MAX: none. */
uint64_t nonzero_next(struct nonzero *nonzero, uint64_t offset);

#endif
