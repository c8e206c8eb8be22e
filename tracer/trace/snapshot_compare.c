/* Holds a real directory against a tree. Knows nothing but the two: it is the judge of everything
 * that claims to have made them equal. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xxhash.h>

#include "listing.h"
#include "nonzero.h"
#include "reach.h"
#include "snapshot.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "xattrs.h"

enum { CHUNK = 1 << 16, MODE = 07777 };

struct comparing {
    const struct tree *tree;
    const struct trace *trace;
    const char *const *exclude;
    char **difference;
    struct map node_of;          /* hash of an inode to the node that it was met as */
    struct map inode_of;         /* and the other way round */
    uint8_t *on_disk, *by_trace; /* CHUNK bytes each */
};

/* A thing on both sides. */
struct both {
    uint32_t node;
    const char *path;
    struct stat stat;
};

/* Every part of the comparison returns true when it could look; whether there is a difference then
 * stands in *difference. This notes one. */
static bool differ(struct comparing *comparing, const char *path, const char *fmt, ...)
    PRINTF(3, 4);
static bool differ(struct comparing *comparing, const char *path, const char *fmt, ...)
{
    char what[600];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    char *shown OWN(own_mem) = text_escape(*path ? path : ".", SIZE_MAX);
    *comparing->difference = mem_format("%s: %s", shown, what);
    return true;
}

static const char *type_name(uint32_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return "a file";
    case S_IFDIR:
        return "a folder";
    case S_IFLNK:
        return "a symbolic link";
    case S_IFIFO:
        return "a FIFO";
    case S_IFSOCK:
        return "a socket";
    case S_IFBLK:
        return "a block device";
    case S_IFCHR:
        return "a character device";
    default:
        return "something else";
    }
}

static bool compare_stat(struct comparing *comparing, const struct both *both)
{
    const struct tree_node *node = tree_node(comparing->tree, both->node);
    const struct stat *stat = &both->stat;
    if ((node->mode & S_IFMT) != (stat->st_mode & S_IFMT)) {
        return differ(comparing, both->path, "%s on disk, %s by the trace",
                      type_name(stat->st_mode), type_name(node->mode));
    }
    if (S_ISREG(node->mode) && node->size != (uint64_t)stat->st_size) {
        return differ(comparing, both->path, "size %jd on disk, %" PRIu64 " by the trace",
                      (intmax_t)stat->st_size, node->size);
    }
    if (!S_ISLNK(node->mode) && (node->mode & MODE) != (stat->st_mode & MODE)) {
        return differ(comparing, both->path, "mode %04o on disk, %04o by the trace",
                      stat->st_mode & MODE, node->mode & MODE);
    }
    if (node->uid != stat->st_uid || node->gid != stat->st_gid) {
        return differ(comparing, both->path, "owner %u:%u on disk, %u:%u by the trace",
                      stat->st_uid, stat->st_gid, node->uid, node->gid);
    }
    const bool is_device = S_ISCHR(node->mode) || S_ISBLK(node->mode);
    if (is_device && node->device != (uint32_t)stat->st_rdev) {
        return differ(comparing, both->path, "device %u:%u on disk, %u:%u by the trace",
                      major(stat->st_rdev), minor(stat->st_rdev), major(node->device),
                      minor(node->device));
    }
    return true;
}

static bool compare_target(struct comparing *comparing, const struct both *both, int dir_fd,
                           const char *name, struct err *err)
{
    const struct tree_node *node = tree_node(comparing->tree, both->node);
    char target[8192];
    const ssize_t size = readlinkat(dir_fd, name, target, sizeof target);
    if (size < 0)
        return err_system(err, "read the link %s", both->path);
    char *wanted OWN(own_mem) = mem_new(node->target_size, 1);
    if (!trace_read(comparing->trace, node->target, wanted, node->target_size, err))
        return false;
    if ((size_t)size == node->target_size && memcmp(target, wanted, node->target_size) == 0)
        return true;
    char *there OWN(own_mem) = text_escape(target, (size_t)size);
    char *here OWN(own_mem) = text_escape(wanted, node->target_size);
    return differ(comparing, both->path, "leads to %.200s on disk, to %.200s by the trace", there,
                  here);
}

static bool differ_in_name(struct comparing *comparing, const struct both *both, const char *name,
                           const char *where)
{
    char *shown OWN(own_mem) = text_escape(name, SIZE_MAX);
    return differ(comparing, both->path, "attribute %s %s", shown, where);
}

static bool compare_xattr(struct comparing *comparing, const struct both *both,
                          const struct xattr_value *there, const struct tree_xattr *xattr,
                          struct err *err)
{
    const char *name = trace_string(comparing->trace, xattr->name);
    const int order = there ? strcmp(there->name, name) : 1;
    if (order < 0)
        return differ_in_name(comparing, both, there->name, "on disk, not by the trace");
    if (order > 0)
        return differ_in_name(comparing, both, name, "by the trace, not on disk");
    char *value OWN(own_mem) = mem_new(xattr->size, 1);
    if (!trace_read(comparing->trace, xattr->payload, value, xattr->size, err))
        return false;
    if (there->size != xattr->size || memcmp(there->value, value, xattr->size) != 0)
        return differ_in_name(comparing, both, name, "has another value");
    return true;
}

/* Two lists in order of names: the first place where they part. */
static bool compare_xattrs(struct comparing *comparing, const struct both *both, int fd,
                           struct err *err)
{
    struct xattrs xattrs OWN(xattrs_fini) = {0};
    if (!xattrs_read(fd, &xattrs, err))
        return err_while(err, "compare %s", both->path);
    struct tree_xattr xattr;
    size_t met = 0;
    for (size_t i = 0; tree_xattr(comparing->tree, both->node, i, &xattr); i++) {
        if (!xattrs_is_followed(trace_string(comparing->trace, xattr.name)))
            continue;
        const struct xattr_value *there = met < xattrs.count ? &xattrs.items[met++] : NULL;
        if (!compare_xattr(comparing, both, there, &xattr, err))
            return false;
        if (*comparing->difference)
            return true;
    }
    return met == xattrs.count ||
           differ_in_name(comparing, both, xattrs.items[met].name, "on disk, not by the trace");
}

/* Reads exactly `size` bytes or what there is before the end. */
static bool read_disk(int fd, uint64_t offset, uint8_t *to, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        const ssize_t step = pread(fd, to + *got, size - *got, (off_t)(offset + *got));
        if (step < 0 && errno != EINTR)
            return false;
        if (step == 0)
            return true;
        *got += step > 0 ? (size_t)step : 0;
    }
    return true;
}

static bool compare_chunk(struct comparing *comparing, const struct both *both, int fd,
                          uint64_t offset, struct err *err)
{
    size_t there;
    size_t here;
    if (!read_disk(fd, offset, comparing->on_disk, CHUNK, &there))
        return err_system(err, "read %s", both->path);
    if (!tree_read(comparing->tree, both->node, offset, comparing->by_trace, CHUNK, &here, err))
        return false;
    if (there == here && memcmp(comparing->on_disk, comparing->by_trace, here) == 0)
        return true;
    size_t at = 0;
    while (at < there && at < here && comparing->on_disk[at] == comparing->by_trace[at])
        at++;
    if (at == there || at == here)
        return differ(comparing, both->path, "changes while it is being compared");
    return differ(comparing, both->path, "byte %" PRIu64 " is 0x%02x on disk, 0x%02x by the trace",
                  offset + at, comparing->on_disk[at], comparing->by_trace[at]);
}

/* Holes on both sides are jumped over. */
static bool compare_bytes(struct comparing *comparing, const struct both *both, int fd,
                          struct err *err)
{
    struct nonzero nonzero OWN(nonzero_fini) = {0};
    nonzero_init(&nonzero, comparing->tree, both->node, fd);
    const uint64_t size = (uint64_t)both->stat.st_size;
    for (uint64_t at = nonzero_next(&nonzero, 0); at < size && !*comparing->difference;
         at = nonzero_next(&nonzero, at + CHUNK)) {
        if (!compare_chunk(comparing, both, fd, at, err))
            return false;
    }
    return true;
}

static uint64_t inode_key(const struct stat *stat)
{
    const uint64_t both[] = {stat->st_dev, stat->st_ino};
    return XXH3_64bits(both, sizeof both);
}

/* Names of one file on one side must be names of one file on the other. *is_new: whether the file
 * was not met before, and its content is to be looked at. */
static bool compare_links(struct comparing *comparing, const struct both *both, bool *is_new)
{
    const uint64_t inode = inode_key(&both->stat);
    uint64_t node = both->node;
    uint64_t other = inode;
    const bool is_met = map_get(&comparing->node_of, inode, &node);
    const bool is_inode_met = map_get(&comparing->inode_of, both->node, &other);
    *is_new = !is_met;
    if (node != both->node) {
        char *first OWN(own_mem) = tree_path(comparing->tree, (uint32_t)node);
        char *shown OWN(own_mem) = text_escape(first ? first : "?", SIZE_MAX);
        return differ(comparing, both->path, "the same file as %.200s on disk, not by the trace",
                      shown);
    }
    if (other != inode)
        return differ(comparing, both->path, "a hard link by the trace, not on disk");
    if (!is_met)
        map_put(&comparing->node_of, inode, both->node);
    if (!is_inode_met)
        map_put(&comparing->inode_of, both->node, inode);
    return true;
}

static bool compare_folder(struct comparing *comparing, const struct both *both, int fd,
                           struct err *err);

/* name NULL: the root, which dir_fd itself is. */
static bool compare_inside(struct comparing *comparing, const struct both *both, int dir_fd,
                           const char *name, struct err *err)
{
    if (name && S_ISLNK(both->stat.st_mode))
        return compare_target(comparing, both, dir_fd, name, err);
    const bool is_folder = S_ISDIR(both->stat.st_mode);
    if (!is_folder && !S_ISREG(both->stat.st_mode))
        return true;
    struct reach reach OWN(reach_close) = {.fd = -1};
    const bool ok =
        is_folder ? reach_folder(dir_fd, name, &reach, err) : reach_file(dir_fd, name, &reach, err);
    if (!ok)
        return err_while(err, "compare %s", both->path);
    if (!compare_xattrs(comparing, both, reach.fd, err))
        return false;
    if (*comparing->difference)
        return true;
    return is_folder ? compare_folder(comparing, both, reach.fd, err)
                     : compare_bytes(comparing, both, reach.fd, err);
}

static bool compare_entry(struct comparing *comparing, struct both *both, int dir_fd,
                          const char *name, struct err *err)
{
    if (fstatat(dir_fd, name, &both->stat, AT_SYMLINK_NOFOLLOW) != 0)
        return err_system(err, "look at %s", both->path);
    bool is_new = true;
    compare_stat(comparing, both);
    if (!*comparing->difference)
        compare_links(comparing, both, &is_new);
    if (*comparing->difference || !is_new)
        return true;
    return compare_inside(comparing, both, dir_fd, name, err);
}

/* The names of a folder on both sides, in order. */
struct merge {
    struct listing listing;
    struct tree_entry *entries;
    size_t count;
    size_t on_disk, by_trace; /* how many are done */
};

static void merge_fini(struct merge *merge)
{
    listing_fini(&merge->listing);
    free(merge->entries);
}

/* The next name, on one side (the other one is NULL) or on both; false: there is none. */
struct name_pair {
    const char *on_disk;
    const char *by_trace;
    uint32_t node;
};
static bool merge_next(const struct comparing *comparing, struct merge *merge,
                       struct name_pair *out)
{
    const bool has_disk = merge->on_disk < merge->listing.count;
    const bool has_trace = merge->by_trace < merge->count;
    struct name_pair pair = {0};
    if (has_disk)
        pair.on_disk = merge->listing.names[merge->on_disk];
    if (has_trace) {
        pair.node = merge->entries[merge->by_trace].node;
        pair.by_trace = trace_string(comparing->trace, merge->entries[merge->by_trace].name);
    }
    const int order = has_disk && has_trace ? strcmp(pair.on_disk, pair.by_trace) : 0;
    if (order > 0)
        pair.on_disk = NULL;
    if (order < 0)
        pair.by_trace = NULL;
    merge->on_disk += pair.on_disk != NULL;
    merge->by_trace += pair.by_trace != NULL;
    *out = pair;
    return has_disk || has_trace;
}

static bool compare_pair(struct comparing *comparing, const struct both *folder, int fd,
                         const struct name_pair *pair, struct err *err)
{
    const char *name = pair->on_disk ? pair->on_disk : pair->by_trace;
    char *path OWN(own_mem) = mem_format("%s%s%s", folder->path, *folder->path ? "/" : "", name);
    if (snapshot_excluded(comparing->exclude, path))
        return true;
    if (!pair->by_trace)
        return differ(comparing, path, "there on disk, not by the trace");
    struct both both = {.node = pair->node, .path = path};
    if (pair->on_disk)
        return compare_entry(comparing, &both, fd, name, err);
    return differ(comparing, path, "missing on disk, %s by the trace",
                  type_name(tree_node(comparing->tree, pair->node)->mode));
}

static bool compare_folder(struct comparing *comparing, const struct both *both, int fd,
                           struct err *err)
{
    struct merge merge OWN(merge_fini) = {0};
    if (!listing_read(fd, &merge.listing, err))
        return err_while(err, "compare %s", both->path);
    merge.count = tree_entries(comparing->tree, both->node, &merge.entries);
    struct name_pair pair;
    while (!*comparing->difference && merge_next(comparing, &merge, &pair)) {
        if (!compare_pair(comparing, both, fd, &pair, err))
            return false;
    }
    return true;
}

bool snapshot_compare(const struct tree *tree, int fd, const char *const *exclude,
                      char **difference, struct err *err)
{
    char *found OWN(own_mem) = NULL;
    uint8_t *on_disk OWN(own_mem) = mem_new(CHUNK, 1);
    uint8_t *by_trace OWN(own_mem) = mem_new(CHUNK, 1);
    struct comparing comparing = {.tree = tree,
                                  .trace = tree_trace(tree),
                                  .exclude = exclude,
                                  .difference = &found,
                                  .on_disk = on_disk,
                                  .by_trace = by_trace};
    struct both root = {.node = NODE_ROOT, .path = ""};
    if (fstat(fd, &root.stat) != 0)
        return err_system(err, "look at the workspace");
    compare_stat(&comparing, &root);
    const bool ok = found || compare_inside(&comparing, &root, fd, NULL, err);
    map_fini(&comparing.node_of);
    map_fini(&comparing.inode_of);
    if (!ok)
        return false;
    *difference = found;
    found = NULL;
    return true;
}
