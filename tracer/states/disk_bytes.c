/* Brings the bytes of regular files to disk: all, what was touched, or what differs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk_twin.h"
#include "tracer/base/own.h"
#include "tracer/trace/nonzero.h"

/* A stretch of a file, and where in disk->buffer its bytes are. */
struct range {
    uint64_t offset;
    size_t size;
    size_t skip;
};

static bool write_range(struct disk *disk, uint32_t node, int fd, struct range range,
                        struct err *err)
{
    for (size_t done = 0; done < range.size;) {
        const ssize_t step = pwrite(fd, disk->buffer + range.skip + done, range.size - done,
                                    (off_t)(range.offset + done));
        if (step < 0 && errno != EINTR)
            return disk_failed(disk, node, "write", err);
        done += step > 0 ? (size_t)step : 0;
    }
    return true;
}

/* Copies from the tree, at most as much as fits into the buffer. */
static bool copy_range(struct disk *disk, uint32_t node, int fd, struct range range,
                       struct err *err)
{
    size_t got;
    if (!tree_read(disk->tree, node, range.offset, disk->buffer, range.size, &got, err))
        return false;
    return write_range(disk, node, fd, (struct range){.offset = range.offset, .size = got}, err);
}

/* How many of the blocks go into one buffer because they follow each other. */
static size_t run_length(const uint64_t *blocks, size_t count)
{
    size_t length = 1;
    while (length < count && length < DISK_BUFFER / TREE_BLOCK &&
           blocks[length] == blocks[0] + length)
        length++;
    return length;
}

bool disk_fill(struct disk *disk, uint32_t node, int fd, struct err *err)
{
    uint64_t *blocks OWN(own_mem) = NULL;
    const size_t count = tree_blocks(disk->tree, node, &blocks);
    for (size_t i = 0; i < count;) {
        const size_t length = run_length(blocks + i, count - i);
        const struct range range = {.offset = blocks[i] * TREE_BLOCK, .size = length * TREE_BLOCK};
        if (!copy_range(disk, node, fd, range, err))
            return false;
        i += length;
    }
    return ftruncate(fd, (off_t)tree_node(disk->tree, node)->size) == 0 ||
           disk_failed(disk, node, "set the size of", err);
}

static bool is_file(const struct disk *disk, uint32_t node)
{
    const struct twin *twin = disk_twin(disk, node);
    const struct tree_node *stat = tree_node(disk->tree, node);
    return twin && stat && S_ISREG(twin->stat.st_mode) && S_ISREG(stat->mode);
}

/* We wrote to it: its times are ours, and set-user-ID may be gone. */
static void note_write(struct disk *disk, uint32_t node)
{
    struct twin *twin = disk->twins[node];
    twin->want_times = true;
    twin->want_mode |= (twin->stat.st_mode & (S_ISUID | S_ISGID)) != 0;
    disk_doubt(disk, node);
}

/* The touched blocks of one file, in growing order. */
static bool write_blocks(struct disk *disk, const struct tree_block *blocks, size_t count,
                         struct err *err)
{
    const uint32_t node = blocks[0].node;
    const uint64_t size = tree_node(disk->tree, node)->size;
    struct twin *twin = disk->twins[node];
    int fd OWN(own_fd) = -1;
    if (!disk_file(disk, node, O_WRONLY, &fd, err))
        return false;
    if ((uint64_t)twin->stat.st_size != size && ftruncate(fd, (off_t)size) != 0)
        return disk_failed(disk, node, "set the size of", err);
    twin->stat.st_size = (off_t)size;
    note_write(disk, node);
    for (size_t i = 0; i < count;) {
        size_t length = 1;
        while (i + length < count && length < DISK_BUFFER / TREE_BLOCK &&
               blocks[i + length].block == blocks[i].block + length)
            length++;
        const struct range range = {.offset = blocks[i].block * TREE_BLOCK,
                                    .size = length * TREE_BLOCK};
        if (range.offset < size && !copy_range(disk, node, fd, range, err))
            return false;
        i += length;
    }
    return true;
}

static bool resize(struct disk *disk, uint32_t node, struct err *err)
{
    struct twin *twin = disk->twins[node];
    const uint64_t size = tree_node(disk->tree, node)->size;
    if ((uint64_t)twin->stat.st_size == size || twin->want_bytes)
        return true;
    int fd OWN(own_fd) = -1;
    if (!disk_file(disk, node, O_WRONLY, &fd, err))
        return false;
    if (ftruncate(fd, (off_t)size) != 0)
        return disk_failed(disk, node, "set the size of", err);
    twin->stat.st_size = (off_t)size;
    note_write(disk, node);
    return true;
}

bool disk_write_touched(struct disk *disk, const struct tree_touched *touched, struct err *err)
{
    for (size_t i = 0; i < touched->blocks_count;) {
        const struct tree_block *first = &touched->blocks[i];
        size_t count = 1;
        while (i + count < touched->blocks_count && first[count].node == first->node)
            count++;
        i += count;
        const bool is_wanted = is_file(disk, first->node) &&
                               !disk->twins[first->node]->want_bytes &&
                               disk->twins[first->node]->stat.st_ino != 0;
        if (is_wanted && !write_blocks(disk, first, count, err))
            return false;
    }
    for (size_t i = 0; i < touched->nodes_count; i++) {
        const uint32_t node = touched->nodes[i];
        if (is_file(disk, node) && disk->twins[node]->stat.st_ino != 0 && !resize(disk, node, err))
            return false;
    }
    return true;
}

static bool read_disk(struct disk *disk, uint32_t node, int fd, struct range *range,
                      struct err *err)
{
    size_t got = 0;
    while (got < range->size) {
        const ssize_t step =
            pread(fd, disk->other + got, range->size - got, (off_t)(range->offset + got));
        if (step < 0 && errno != EINTR)
            return disk_failed(disk, node, "read", err);
        if (step == 0)
            break;
        got += step > 0 ? (size_t)step : 0;
    }
    range->size = got;
    return true;
}

/* Compares a stretch and writes the blocks that differ. */
static bool compare_range(struct disk *disk, uint32_t node, int fd, struct range range,
                          struct err *err)
{
    size_t wanted;
    if (!read_disk(disk, node, fd, &range, err) ||
        !tree_read(disk->tree, node, range.offset, disk->buffer, range.size, &wanted, err))
        return false;
    if (wanted == range.size && memcmp(disk->buffer, disk->other, wanted) == 0)
        return true;
    disk->is_changed = true;
    note_write(disk, node);
    for (size_t at = 0; at < wanted; at += TREE_BLOCK) {
        const size_t size = wanted - at < TREE_BLOCK ? wanted - at : TREE_BLOCK;
        if (memcmp(disk->buffer + at, disk->other + at, size) != 0 &&
            !write_range(disk, node, fd, (struct range){range.offset + at, size, at}, err))
            return false;
    }
    return true;
}

bool disk_compare_bytes(struct disk *disk, uint32_t node, struct err *err)
{
    struct twin *twin = disk->twins[node];
    twin->want_bytes = false;
    if (!is_file(disk, node))
        return true;
    const uint64_t size = tree_node(disk->tree, node)->size;
    int fd OWN(own_fd) = -1;
    if (!disk_file(disk, node, O_RDWR, &fd, err))
        return false;
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return disk_failed(disk, node, "look at", err);
    if ((uint64_t)stat.st_size != size) {
        if (ftruncate(fd, (off_t)size) != 0)
            return disk_failed(disk, node, "set the size of", err);
        disk->is_changed = true;
        note_write(disk, node);
    }
    struct nonzero nonzero OWN(nonzero_fini) = {0};
    nonzero_init(&nonzero, disk->tree, node, fd);
    for (uint64_t at = nonzero_next(&nonzero, 0); at < size;
         at = nonzero_next(&nonzero, at + DISK_BUFFER)) {
        if (!compare_range(disk, node, fd, (struct range){.offset = at, .size = DISK_BUFFER}, err))
            return false;
    }
    return true;
}
