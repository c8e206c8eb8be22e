/* Reads a real directory in, as ops. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "listing.h"
#include "reach.h"
#include "snapshot.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "xattrs.h"

enum { CHUNK = 1 << 18, MODE = 07777 };

struct reading {
    struct trace_writer *writer;
    const struct snapshot_options *options;
    struct snapshot_items *items; /* may be NULL */
    struct map linked;            /* files with several links: hash of their inode to the node */
};

/* A thing that is being read in. */
struct found {
    struct stat stat;
    uint32_t node;
    const char *path; /* relative to the workspace */
};

static int64_t mtime_of(const struct stat *stat)
{
    return stat->st_mtim.tv_sec * CLOCK_SECOND + stat->st_mtim.tv_nsec;
}

static void emit(struct reading *reading, const struct found *found, struct op op)
{
    struct trace *trace = reading->writer->trace;
    op.enter = trace->count;
    op.path = strings_add(&trace->strings, found->path);
    trace_writer_op(reading->writer, &op);
}

static void note_item(struct reading *reading, const struct found *found)
{
    struct snapshot_items *items = reading->items;
    if (!items)
        return;
    mem_grow(&items->items, &items->capacity, items->count + 1, sizeof *items->items);
    items->items[items->count++] = (struct snapshot_item){
        .dev = found->stat.st_dev, .ino = found->stat.st_ino, .node = found->node};
}

static uint64_t inode_key(const struct stat *stat)
{
    const uint64_t both[] = {stat->st_dev, stat->st_ino};
    return XXH3_64bits(both, sizeof both);
}

static bool read_xattrs(struct reading *reading, const struct found *found, int fd, struct err *err)
{
    struct xattrs xattrs OWN(xattrs_fini) = {0};
    if (!xattrs_read(fd, &xattrs, err))
        return err_while(err, "read in %s", found->path);
    for (size_t i = 0; i < xattrs.count; i++) {
        struct op op = {.kind = OP_SETXATTR,
                        .node = found->node,
                        .time_ns = mtime_of(&found->stat),
                        .payload_size = xattrs.items[i].size,
                        .name =
                            strings_add(&reading->writer->trace->strings, xattrs.items[i].name)};
        if (!trace_writer_payload(reading->writer, xattrs.items[i].value, xattrs.items[i].size,
                                  &op.payload, err))
            return false;
        emit(reading, found, op);
    }
    return true;
}

/* One stretch of data becomes one write. A file that got shorter meanwhile gives what is there. */
static bool read_data(struct reading *reading, const struct found *found, int fd,
                      const off_t range[2], struct err *err)
{
    struct op op = {.kind = OP_WRITE,
                    .node = found->node,
                    .offset = (uint64_t)range[0],
                    .time_ns = mtime_of(&found->stat)};
    for (off_t at = range[0]; at < range[1];) {
        const off_t left = range[1] - at;
        const size_t size = left < CHUNK ? (size_t)left : CHUNK;
        uint64_t place;
        void *room = trace_writer_room(reading->writer, size, &place, err);
        if (!room)
            return false;
        const ssize_t got = pread(fd, room, size, at);
        trace_writer_shrink(reading->writer, got < 0 ? size : size - (size_t)got);
        if (got < 0)
            return err_system(err, "read in %s", found->path);
        if (op.payload_size == 0)
            op.payload = place;
        op.payload_size += (uint64_t)got;
        if (got == 0)
            break;
        at += got;
    }
    if (op.payload_size > 0)
        emit(reading, found, op);
    return true;
}

/* Where the next data lie; a file system that does not know takes all for data. */
static bool next_data(int fd, off_t from, off_t size, off_t out[2])
{
    const off_t start = lseek(fd, from, SEEK_DATA);
    if (start < 0 && errno == ENXIO)
        return false;
    out[0] = start < 0 ? from : start;
    const off_t end = start < 0 ? -1 : lseek(fd, start, SEEK_HOLE);
    out[1] = end < 0 || end > size ? size : end;
    return out[0] < size;
}

static bool read_file(struct reading *reading, const struct found *found, int fd, struct err *err)
{
    const off_t size = found->stat.st_size;
    for (off_t range[2] = {0, 0}; next_data(fd, range[1], size, range);) {
        if (!read_data(reading, found, fd, range, err))
            return false;
    }
    /* Always: it sets the length behind a last hole, and leaves the file's own time. */
    emit(reading, found,
         (struct op){.kind = OP_TRUNCATE,
                     .node = found->node,
                     .size = (uint64_t)size,
                     .time_ns = mtime_of(&found->stat)});
    return true;
}

/* Where a thing stands in the workspace, and in reality. */
struct spot {
    int dir_fd;
    const char *name;
    uint32_t dir;
    int64_t time_ns; /* of the folder's change that the new entry is */
};

static bool read_folder(struct reading *reading, const struct found *found, int fd,
                        struct err *err);

static bool read_target(struct reading *reading, const struct found *found, const struct spot *spot,
                        struct op *op, struct err *err)
{
    char target[8192];
    const ssize_t size = readlinkat(spot->dir_fd, spot->name, target, sizeof target);
    if (size < 0)
        return err_system(err, "read the link %s", found->path);
    op->payload_size = (uint64_t)size;
    return trace_writer_payload(reading->writer, target, (size_t)size, &op->payload, err);
}

static bool read_inside(struct reading *reading, const struct found *found, int dir_fd,
                        const char *name, struct err *err)
{
    const bool is_folder = S_ISDIR(found->stat.st_mode);
    if (!is_folder && !S_ISREG(found->stat.st_mode))
        return true;
    struct reach reach OWN(reach_close) = {.fd = -1};
    const bool ok =
        is_folder ? reach_folder(dir_fd, name, &reach, err) : reach_file(dir_fd, name, &reach, err);
    if (!ok)
        return err_while(err, "read in %s", found->path);
    if (!read_xattrs(reading, found, reach.fd, err))
        return false;
    return is_folder ? read_folder(reading, found, reach.fd, err)
                     : read_file(reading, found, reach.fd, err);
}

static bool read_entry(struct reading *reading, const struct spot *spot, struct found *found,
                       struct err *err)
{
    if (fstatat(spot->dir_fd, spot->name, &found->stat, AT_SYMLINK_NOFOLLOW) != 0)
        return err_system(err, "look at %s", found->path);
    const bool is_linked = found->stat.st_nlink > 1 && !S_ISDIR(found->stat.st_mode);
    struct op op = {.kind = OP_CREATE,
                    .dir = spot->dir,
                    .name = strings_add(&reading->writer->trace->strings, spot->name),
                    .mode = found->stat.st_mode,
                    .uid = found->stat.st_uid,
                    .gid = found->stat.st_gid,
                    .size = found->stat.st_rdev,
                    .time_ns = spot->time_ns};
    uint64_t known;
    if (is_linked && map_get(&reading->linked, inode_key(&found->stat), &known)) {
        found->node = op.node = (uint32_t)known;
        op.kind = OP_LINK;
        emit(reading, found, op);
        return true;
    }
    found->node = op.node = trace_writer_node(reading->writer);
    if (S_ISLNK(found->stat.st_mode) && !read_target(reading, found, spot, &op, err))
        return false;
    emit(reading, found, op);
    note_item(reading, found);
    if (is_linked)
        map_put(&reading->linked, inode_key(&found->stat), found->node);
    return read_inside(reading, found, spot->dir_fd, spot->name, err);
}

static bool read_folder(struct reading *reading, const struct found *found, int fd, struct err *err)
{
    struct listing listing OWN(listing_fini) = {0};
    if (!listing_read(fd, &listing, err))
        return err_while(err, "read in %s", found->path);
    for (size_t i = 0; i < listing.count; i++) {
        const char *slash = *found->path ? "/" : "";
        char *path OWN(own_mem) = mem_format("%s%s%s", found->path, slash, listing.names[i]);
        const struct spot spot = {.dir_fd = fd,
                                  .name = listing.names[i],
                                  .dir = found->node,
                                  .time_ns = mtime_of(&found->stat)};
        struct found inner = {.path = path};
        if (!snapshot_excluded(reading->options->exclude, path) &&
            !read_entry(reading, &spot, &inner, err))
            return false;
    }
    return true;
}

static void join_ops(struct reading *reading, uint32_t first)
{
    struct trace *trace = reading->writer->trace;
    for (uint32_t i = first; reading->options->more && i + 1 < trace->count; i++)
        trace->ops[i].flags |= OP_MORE;
}

bool snapshot_read(struct trace_writer *writer, int fd, const struct snapshot_options *options,
                   struct snapshot_items *items, struct err *err)
{
    struct reading reading = {.writer = writer, .options = options, .items = items};
    const uint32_t first = writer->trace->count;
    struct found found = {.node = options->dir, .path = options->prefix ? options->prefix : ""};
    if (fstat(fd, &found.stat) != 0)
        return err_system(err, "look at the folder %s", found.path);
    note_item(&reading, &found);
    const int64_t time_ns = mtime_of(&found.stat);
    emit(&reading, &found,
         (struct op){.kind = OP_CHOWN,
                     .node = found.node,
                     .uid = found.stat.st_uid,
                     .gid = found.stat.st_gid,
                     .time_ns = time_ns});
    emit(&reading, &found,
         (struct op){.kind = OP_CHMOD,
                     .node = found.node,
                     .mode = found.stat.st_mode & MODE,
                     .time_ns = time_ns});
    struct reach reach OWN(reach_close) = {.fd = -1};
    const bool ok = reach_folder(fd, NULL, &reach, err) &&
                    read_xattrs(&reading, &found, reach.fd, err) &&
                    read_folder(&reading, &found, reach.fd, err);
    map_fini(&reading.linked);
    join_ops(&reading, first);
    return ok;
}

// NOLINTNEXTLINE(readability-function-size): a place, what to do there, and two results
bool snapshot_read_entry(struct trace_writer *writer, int parent_fd, const char *name,
                         const struct snapshot_options *options, struct snapshot_items *items,
                         uint32_t *node, struct err *err)
{
    struct reading reading = {.writer = writer, .options = options, .items = items};
    const uint32_t first = writer->trace->count;
    const bool is_top = !options->prefix || !*options->prefix;
    char *path OWN(own_mem) =
        is_top ? mem_string(name) : mem_format("%s/%s", options->prefix, name);
    const struct spot spot = {
        .dir_fd = parent_fd, .name = name, .dir = options->dir, .time_ns = clock_date()};
    struct found found = {.path = path};
    const bool ok = read_entry(&reading, &spot, &found, err);
    map_fini(&reading.linked);
    join_ops(&reading, first);
    if (ok)
        *node = found.node;
    return ok;
}
