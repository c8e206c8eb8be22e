/* Gives the files on disk the owners, modes, extended attributes and times of the tree, and notes
 * what stat says at the very end: that is what disk_look holds against what it finds. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "disk_twin.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/xattrs.h"

enum { MODE = 07777 };

/* A folder is worked on through its own descriptor: with the new mode, its name "." may not be
 * looked up in it any more. */
struct subject {
    uint32_t node;
    struct twin *twin;
    const struct tree_node *wanted;
    struct disk_spot spot;
    bool is_folder;
};

static bool look_again(struct disk *disk, const struct subject *subject, struct err *err)
{
    const struct disk_spot *spot = &subject->spot;
    struct stat *stat = &subject->twin->stat;
    const int done = subject->is_folder
                         ? fstat(spot->dir_fd, stat)
                         : fstatat(spot->dir_fd, spot->name, stat, AT_SYMLINK_NOFOLLOW);
    return done == 0 || disk_failed(disk, subject->node, "look at", err);
}

static bool set_owner(struct disk *disk, const struct subject *subject, struct err *err)
{
    struct stat *stat = &subject->twin->stat;
    const struct tree_node *wanted = subject->wanted;
    if (!disk->options.want_owner || (stat->st_uid == wanted->uid && stat->st_gid == wanted->gid))
        return true;
    const struct disk_spot *spot = &subject->spot;
    if (fchownat(spot->dir_fd, spot->name, wanted->uid, wanted->gid, AT_SYMLINK_NOFOLLOW) == 0)
        return look_again(disk, subject, err);
    if (errno != EPERM && errno != EINVAL)
        return disk_failed(disk, subject->node, "set the owner of", err);
    disk->left_out |= LEFT_OUT_OWNERS;
    return true;
}

static bool is_left_out(struct disk *disk)
{
    if (errno != EPERM && errno != ENOTSUP)
        return false;
    disk->left_out |= LEFT_OUT_XATTRS;
    return true;
}

static bool drop_xattr(struct disk *disk, uint32_t node, int fd, const char *name, struct err *err)
{
    disk->is_changed = true;
    return fremovexattr(fd, name) == 0 || is_left_out(disk) ||
           disk_failed(disk, node, "remove an attribute of", err);
}

static const struct xattr_value *find_xattr(const struct xattrs *xattrs, const char *name)
{
    for (size_t i = 0; i < xattrs->count; i++) {
        if (strcmp(xattrs->items[i].name, name) == 0)
            return &xattrs->items[i];
    }
    return NULL;
}

/* What a file has, and through which descriptor. */
struct owner {
    uint32_t node;
    int fd;
    struct xattrs there;
};

static bool set_xattr(struct disk *disk, const struct owner *owner, const struct tree_xattr *xattr,
                      struct err *err)
{
    const char *name = trace_string(disk->trace, xattr->name);
    const struct xattr_value *old = find_xattr(&owner->there, name);
    char *value OWN(own_mem) = mem_new(xattr->size, 1);
    if (!trace_read(disk->trace, xattr->payload, value, xattr->size, err))
        return false;
    if (old && old->size == xattr->size && memcmp(old->value, value, xattr->size) == 0)
        return true;
    disk->is_changed = true;
    return fsetxattr(owner->fd, name, value, xattr->size, 0) == 0 || is_left_out(disk) ||
           disk_failed(disk, owner->node, "set an attribute of", err);
}

static bool has_xattr(const struct disk *disk, uint32_t node, const char *name)
{
    struct tree_xattr xattr;
    for (size_t i = 0; tree_xattr(disk->tree, node, i, &xattr); i++) {
        if (strcmp(trace_string(disk->trace, xattr.name), name) == 0)
            return true;
    }
    return false;
}

static bool exchange_all(struct disk *disk, const struct owner *owner, size_t *count,
                         struct err *err)
{
    for (size_t i = 0; i < owner->there.count; i++) {
        const char *name = owner->there.items[i].name;
        if (!has_xattr(disk, owner->node, name) &&
            !drop_xattr(disk, owner->node, owner->fd, name, err))
            return false;
    }
    struct tree_xattr xattr;
    for (*count = 0; tree_xattr(disk->tree, owner->node, *count, &xattr); ++*count) {
        if (!set_xattr(disk, owner, &xattr, err))
            return false;
    }
    return true;
}

static bool exchange_xattrs(struct disk *disk, const struct subject *subject, int fd,
                            struct err *err)
{
    struct owner owner = {.node = subject->node, .fd = fd};
    size_t count = 0;
    if (!xattrs_read(fd, &owner.there, err))
        return err_while(err, "build a crash state");
    const bool ok = exchange_all(disk, &owner, &count, err);
    xattrs_fini(&owner.there);
    subject->twin->has_xattrs = count > 0;
    return ok;
}

/* Only files and folders can have user.*; the kernel wants write permission for it. */
static bool set_xattrs(struct disk *disk, const struct subject *subject, struct err *err)
{
    struct twin *twin = subject->twin;
    struct tree_xattr first;
    const bool has_some = tree_xattr(disk->tree, subject->node, 0, &first);
    const bool is_wanted = twin->want_xattrs || twin->has_xattrs || has_some;
    if (!is_wanted || !(subject->is_folder || S_ISREG(twin->stat.st_mode)))
        return true;
    if (!disk->options.want_xattr) {
        disk->left_out |= has_some ? LEFT_OUT_XATTRS : 0;
        return true;
    }
    if (subject->is_folder)
        return exchange_xattrs(disk, subject, subject->spot.dir_fd, err);
    if (disk->is_weak && (twin->stat.st_mode & S_IWUSR) == 0) {
        twin->stat.st_mode |= S_IWUSR | S_IRUSR;
        if (fchmodat(subject->spot.dir_fd, subject->spot.name, twin->stat.st_mode & MODE, 0) != 0)
            return disk_failed(disk, subject->node, "set the mode of", err);
    }
    int fd OWN(own_fd) = -1;
    return disk_file(disk, subject->node, O_RDONLY, &fd, err) &&
           exchange_xattrs(disk, subject, fd, err);
}

static struct timespec timespec_of(int64_t ns)
{
    int64_t seconds = ns / CLOCK_SECOND;
    int64_t rest = ns % CLOCK_SECOND;
    if (rest < 0) {
        rest += CLOCK_SECOND;
        seconds--;
    }
    return (struct timespec){.tv_sec = seconds, .tv_nsec = rest};
}

static bool is_time(const struct timespec *there, int64_t ns)
{
    const struct timespec wanted = timespec_of(ns);
    return there->tv_sec == wanted.tv_sec && there->tv_nsec == wanted.tv_nsec;
}

static bool set_times(struct disk *disk, const struct subject *subject, struct err *err)
{
    const struct tree_node *wanted = subject->wanted;
    const struct twin *twin = subject->twin;
    const bool is_explicit = wanted->mtime_ns != -1;
    const int64_t mtime =
        is_explicit ? wanted->mtime_ns : tree_changed_ns(disk->tree, subject->node);
    const bool has_atime = wanted->atime_ns != -1;
    if (!twin->want_times && is_time(&twin->stat.st_mtim, mtime) &&
        (!has_atime || is_time(&twin->stat.st_atim, wanted->atime_ns)))
        return true;
    struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, timespec_of(mtime)};
    if (has_atime)
        times[0] = timespec_of(wanted->atime_ns);
    const struct disk_spot *spot = &subject->spot;
    return utimensat(spot->dir_fd, spot->name, times, AT_SYMLINK_NOFOLLOW) == 0 ||
           disk_failed(disk, subject->node, "set the times of", err);
}

static bool set_mode(struct disk *disk, const struct subject *subject, struct err *err)
{
    const mode_t mode = subject->wanted->mode & MODE;
    const struct stat *stat = &subject->twin->stat;
    if (S_ISLNK(stat->st_mode) || (stat->st_mode & MODE) == mode)
        return true;
    const struct disk_spot *spot = &subject->spot;
    const int done = subject->is_folder ? fchmod(spot->dir_fd, mode)
                                        : fchmodat(spot->dir_fd, spot->name, mode, 0);
    return done == 0 || disk_failed(disk, subject->node, "set the mode of", err);
}

static bool find_subject(struct disk *disk, uint32_t node, struct subject *out, struct err *err)
{
    *out = (struct subject){
        .node = node, .twin = disk_twin(disk, node), .wanted = tree_node(disk->tree, node)};
    out->is_folder = S_ISDIR(out->twin->stat.st_mode);
    if (!out->is_folder)
        return disk_spot(disk, node, &out->spot, err);
    out->spot = (struct disk_spot){.dir_fd = disk_folder(disk, node, err), .name = "."};
    return out->spot.dir_fd >= 0;
}

static bool settle_node(struct disk *disk, uint32_t node, struct err *err)
{
    struct subject subject;
    if (!find_subject(disk, node, &subject, err))
        return false;
    struct twin *twin = subject.twin;
    if (twin->want_mode && !look_again(disk, &subject, err))
        return false;
    if (!set_owner(disk, &subject, err) || !set_xattrs(disk, &subject, err) ||
        !set_times(disk, &subject, err) || !set_mode(disk, &subject, err) ||
        !look_again(disk, &subject, err))
        return false;
    if (!S_ISLNK(twin->stat.st_mode) &&
        (twin->stat.st_mode & MODE) != (subject.wanted->mode & MODE))
        disk->left_out |= LEFT_OUT_MODES;
    map_put(&disk->by_inode, twin->stat.st_ino, node);
    twin->is_listed = false;
    twin->want_list = false;
    twin->want_mode = false;
    twin->want_times = false;
    twin->want_xattrs = false;
    return true;
}

static size_t depth_of(const struct disk *disk, uint32_t node)
{
    size_t depth = 0;
    while (node != NODE_ROOT) {
        node = disk->twins[node]->names[0].dir;
        depth++;
    }
    return depth;
}

struct ranked {
    size_t depth; /* 0: no folder */
    uint32_t node;
};

/* Files first, then folders from the deepest up: working in a folder may widen its bits and those
 * of the folders above, never of those below. */
static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if ((x->depth == 0) != (y->depth == 0))
        return x->depth == 0 ? -1 : 1;
    return (x->depth < y->depth) - (x->depth > y->depth);
}

static size_t take_doubtful(struct disk *disk, struct ranked **out)
{
    struct ranked *nodes = mem_new(disk->doubtful_count, sizeof *nodes);
    size_t count = 0;
    for (size_t i = 0; i < disk->doubtful_count; i++) {
        const uint32_t node = disk->doubtful[i];
        const struct twin *twin = disk_twin(disk, node);
        if (!twin || !twin->is_listed || !tree_node(disk->tree, node))
            continue;
        const bool is_folder = S_ISDIR(twin->stat.st_mode);
        nodes[count++] =
            (struct ranked){.depth = is_folder ? 1 + depth_of(disk, node) : 0, .node = node};
    }
    disk->doubtful_count = 0;
    if (count > 1)
        qsort(nodes, count, sizeof *nodes, compare_ranked);
    *out = nodes;
    return count;
}

bool disk_settle_attributes(struct disk *disk, struct err *err)
{
    /* More rounds only for who is not root: reaching a file may widen a folder that was in order.
     */
    while (disk->doubtful_count > 0) {
        struct ranked *nodes OWN(own_mem) = NULL;
        const size_t count = take_doubtful(disk, &nodes);
        for (size_t i = 0; i < count; i++) {
            if (disk_twin(disk, nodes[i].node)->is_listed && !settle_node(disk, nodes[i].node, err))
                return false;
        }
    }
    return true;
}
