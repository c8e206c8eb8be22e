/* disk.h - keeps a real directory equal to a tree, by differences.
 *
 * The mirror knows what it has written. disk_sync brings over what the tree touched since the last
 * time; disk_restore finds what somebody else changed meanwhile and puts it back. Both cost as much
 * as the difference, plus one stat for each file in disk_restore, never a copy of the workspace. */
#ifndef STATES_DISK_H
#define STATES_DISK_H

#include "tracer/trace/tree.h"

struct disk;

struct disk_options {
    bool trust_times; /* every write changes mtime or ctime (multigrain times, Linux 6.13, or any
                         file system after a pause); otherwise files are compared by content */
    bool want_owner;  /* set owners (needs the right to); otherwise left as they come */
    bool want_xattr;  /* set extended attributes; otherwise left out, see disk_left_out */
};

/* Fills the empty directory open as dir_fd (kept as a duplicate) with the tree as it is. The tree
 * is followed from now on: one mirror for each tree. */
MUST_USE bool disk_open(struct tree *tree, int dir_fd, const struct disk_options *options,
                        struct disk **out, struct err *err);
void disk_close(struct disk *disk); /* leaves the directory as it is */

MUST_USE bool disk_sync(struct disk *disk, struct err *err);

/* After commands ran in the directory: finds every change (stat against what was left there, then
 * content) and undoes it, also where they made a directory unreadable or replaced one by a link.
 * must_compare: somebody mapped a file writable; compare all files by content. *changed (may be
 * NULL): whether there was any change. */
MUST_USE bool disk_restore(struct disk *disk, bool must_compare, bool *changed, struct err *err);

/* Hash of what is in the directory now, for "a second recovery changes nothing". Files that are as
 * the mirror left them (by their times, unless must_read: see disk_restore) cost one stat, all
 * others are read from the disk. Same rules as snapshot_compare. */
MUST_USE bool disk_hash(struct disk *disk, bool must_read, struct tree_hash *out, struct err *err);

/* Attributes that could not be set here (device nodes, foreign owners, xattrs), as one line for the
 * user; NULL when none. Owned by the disk. */
const char *disk_left_out(const struct disk *disk);

#endif
