/* The hash of what is in the directory, read afresh. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "disk_twin.h"
#include "tracer/base/check.h"
#include "tracer/base/own.h"
#include "tracer/trace/listing.h"
#include "tracer/trace/reach.h"
#include "tracer/trace/tree_hash.h"
#include "tracer/trace/xattrs.h"

struct hashing {
    struct disk *disk;
    XXH3_state_t *state;
    bool must_read; /* content of all files, whatever their times say */
    struct map met; /* inode to the number of its first name */
    uint64_t count;
};

static void add(struct hashing *hashing, const void *data, size_t size)
{
    const uint64_t length = size; /* so that no two lists of parts run together */
    XXH3_128bits_update(hashing->state, &length, sizeof length);
    XXH3_128bits_update(hashing->state, data, size);
}

/* Whether the file is as the mirror left it, so that the tree knows its content. */
static bool is_known(const struct hashing *hashing, const struct stat *stat, uint32_t *node)
{
    const struct disk *disk = hashing->disk;
    uint64_t number;
    if (hashing->must_read || !map_get(&disk->by_inode, stat->st_ino, &number))
        return false;
    const struct twin *twin = disk->twins[number];
    *node = (uint32_t)number;
    return twin->stat.st_dev == stat->st_dev && S_ISREG(twin->stat.st_mode) && !twin->want_bytes &&
           !twin->want_times && twin->stat.st_size == stat->st_size &&
           disk_is_untouched(disk, &twin->stat, stat);
}

/* The bytes that one read gave, as shares of blocks; the last block is filled up with zeros. */
static struct tree_hash sum_of(uint8_t *bytes, uint64_t offset, size_t size)
{
    struct tree_hash sum = {0};
    memset(bytes + size, 0, (TREE_BLOCK - size % TREE_BLOCK) % TREE_BLOCK);
    for (size_t at = 0; at < size; at += TREE_BLOCK)
        sum = tree_hash_add(sum, tree_block_share((offset + at) / TREE_BLOCK, bytes + at));
    return sum;
}

static bool read_content(struct hashing *hashing, int fd, struct tree_hash *sum, struct err *err)
{
    off_t at = 0;
    for (;;) {
        const off_t data = lseek(fd, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            return true;
        /* Blocks are cut at multiples of their size, wherever the data begin. */
        at = data < 0 ? at : data - data % TREE_BLOCK;
        const ssize_t got = pread(fd, hashing->disk->buffer, DISK_BUFFER, at);
        if (got < 0)
            return err_system(err, "read a file of the workspace");
        if (got == 0)
            return true;
        *sum = tree_hash_add(*sum, sum_of(hashing->disk->buffer, (uint64_t)at, (size_t)got));
        at += got;
    }
}

static bool add_file(struct hashing *hashing, int fd, struct err *err)
{
    struct stat stat;
    struct tree_hash sum = {0};
    uint32_t node;
    if (fstat(fd, &stat) != 0)
        return err_system(err, "look at a file of the workspace");
    if (is_known(hashing, &stat, &node)) {
        sum = tree_content(hashing->disk->tree, node);
    } else if (!read_content(hashing, fd, &sum, err)) {
        return false;
    }
    add(hashing, &sum, sizeof sum);
    return true;
}

static bool add_xattrs(struct hashing *hashing, int fd, struct err *err)
{
    struct xattrs xattrs OWN(xattrs_fini) = {0};
    if (!xattrs_read(fd, &xattrs, err))
        return false;
    add(hashing, &xattrs.count, sizeof xattrs.count);
    for (size_t i = 0; i < xattrs.count; i++) {
        add(hashing, xattrs.items[i].name, strlen(xattrs.items[i].name));
        add(hashing, xattrs.items[i].value, xattrs.items[i].size);
    }
    return true;
}

static void add_stat(struct hashing *hashing, const struct stat *stat)
{
    uint64_t first = hashing->count++;
    if (!S_ISDIR(stat->st_mode) && !map_get(&hashing->met, stat->st_ino, &first))
        map_put(&hashing->met, stat->st_ino, first);
    const uint64_t facts[] = {
        stat->st_mode,
        stat->st_uid,
        stat->st_gid,
        S_ISREG(stat->st_mode) ? (uint64_t)stat->st_size : 0,
        S_ISCHR(stat->st_mode) || S_ISBLK(stat->st_mode) ? stat->st_rdev : 0,
        first,
    };
    add(hashing, facts, sizeof facts);
}

static bool add_folder(struct hashing *hashing, int fd, struct err *err);

/* name NULL: the root, which dir_fd itself is. */
static bool add_inside(struct hashing *hashing, int dir_fd, const char *name, mode_t mode,
                       struct err *err)
{
    char target[8192];
    if (name && S_ISLNK(mode)) {
        const ssize_t size = readlinkat(dir_fd, name, target, sizeof target);
        if (size < 0)
            return err_system(err, "read a link of the workspace");
        add(hashing, target, (size_t)size);
        return true;
    }
    if (!S_ISDIR(mode) && !S_ISREG(mode))
        return true;
    struct reach reach OWN(reach_close) = {.fd = -1};
    const bool ok = S_ISDIR(mode) ? reach_folder(dir_fd, name, &reach, err)
                                  : reach_file(dir_fd, name, &reach, err);
    if (!ok || !add_xattrs(hashing, reach.fd, err))
        return false;
    return S_ISDIR(mode) ? add_folder(hashing, reach.fd, err) : add_file(hashing, reach.fd, err);
}

static bool add_folder(struct hashing *hashing, int fd, struct err *err)
{
    struct listing listing OWN(listing_fini) = {0};
    if (!listing_read(fd, &listing, err))
        return false;
    add(hashing, &listing.count, sizeof listing.count);
    for (size_t i = 0; i < listing.count; i++) {
        struct stat stat;
        if (fstatat(fd, listing.names[i], &stat, AT_SYMLINK_NOFOLLOW) != 0)
            return err_system(err, "look at a file of the workspace");
        add(hashing, listing.names[i], strlen(listing.names[i]));
        add_stat(hashing, &stat);
        if (!add_inside(hashing, fd, listing.names[i], stat.st_mode, err))
            return false;
    }
    return true;
}

bool disk_hash(struct disk *disk, bool must_read, struct tree_hash *out, struct err *err)
{
    struct hashing hashing = {.disk = disk, .must_read = must_read, .state = XXH3_createState()};
    struct stat stat;
    CHECK(hashing.state);
    XXH3_128bits_reset(hashing.state);
    const int fd = disk->twins[NODE_ROOT]->fd;
    bool ok = fstat(fd, &stat) == 0 || err_system(err, "look at the workspace");
    if (ok) {
        add_stat(&hashing, &stat);
        ok = add_inside(&hashing, fd, NULL, stat.st_mode, err);
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(hashing.state);
    XXH3_freeState(hashing.state);
    map_fini(&hashing.met);
    if (!ok)
        return err_while(err, "hash a crash state");
    *out = (struct tree_hash){hash.low64, hash.high64};
    return true;
}
