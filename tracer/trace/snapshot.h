/* snapshot.h - real directories against trees: read one in, compare one.
 *
 * Reading in gives the initial ops of a trace, and the ops of a folder renamed in from outside.
 * Comparing walks the disk afresh; it is the self-check of a recording, the judge of every real
 * kill, and what replay and reports show as a difference. */
#ifndef TRACE_SNAPSHOT_H
#define TRACE_SNAPSHOT_H

#include "trace_writer.h"
#include "tree.h"

/* What was read in, so that the recorder can go from inode numbers to nodes. */
struct snapshot_item {
    uint64_t dev, ino;
    uint32_t node;
};
struct snapshot_items {
    struct snapshot_item *items;
    size_t count, capacity;
};

/* Appends ops that create everything below the directory open as `fd` under node `dir` (whose own
 * attributes are set too): all but the last carry OP_MORE when more is true. Hard links are kept,
 * holes may become zeros. exclude: patterns (fnmatch on the relative path and on the last
 * component), NULL-terminated or NULL; what matches is left out. items may be NULL. */
struct snapshot_options {
    uint32_t dir;
    const char *prefix; /* path of dir relative to the workspace, for op.path */
    const char *const *exclude;
    bool more;
};
MUST_USE bool snapshot_read(struct trace_writer *writer, int fd,
                            const struct snapshot_options *options, struct snapshot_items *items,
                            struct err *err);

/* Like snapshot_read for a single file, symbolic link, special file or whole folder `name` in the
 * directory open as parent_fd, which becomes dir/name. *node: the number it got. */
MUST_USE bool snapshot_read_entry(struct trace_writer *writer, int parent_fd, const char *name,
                                  const struct snapshot_options *options,
                                  struct snapshot_items *items, uint32_t *node, struct err *err);

/* Compares the directory open as `fd` with a tree: names, types, link structure, sizes, bytes,
 * permission bits, owners, xattrs (user.* and the others that can be read); not times. Stops at the
 * first difference in path order and describes it: "a/b: size 10 on disk, 12 by the trace".
 * Returns false only on err. *difference is NULL when equal, else the caller frees it. */
MUST_USE bool snapshot_compare(const struct tree *tree, int fd, const char *const *exclude,
                               char **difference, struct err *err);

/* Whether exclude patterns match a relative path. */
bool snapshot_excluded(const char *const *exclude, const char *path);

#endif
