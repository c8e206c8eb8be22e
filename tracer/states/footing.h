/* footing.h - the ground of a recording that begins in a mirrored directory.
 *
 * A recorder must know which inode is which node and what it is called. The mirror knows: so nodes
 * keep the numbers that they have in the mirror's trace, and no content is read. */
#ifndef STATES_FOOTING_H
#define STATES_FOOTING_H

#include "disk.h"
#include "tracer/trace/snapshot.h"

/* Writes the names, sizes and modes of the tree as ops without content, and lists the inodes. The
 * mirror must be in step with its tree (disk_sync). The caller frees items->items. */
void footing_write(const struct disk *disk, struct trace_writer *writer,
                   struct snapshot_items *items);

#endif
