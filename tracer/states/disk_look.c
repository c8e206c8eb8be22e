/* Finds what others changed in the directory, and corrects the twins.
 *
 * A folder whose times are as they were left still has its names, so one stat for each name is
 * enough; any other folder is listed. What is found there is either one of our own inodes, moved or
 * linked (known by its number; were the number used again for something else, its ctime tells, and
 * content and attributes are put right like after any change), or it is foreign and removed at
 * once. What was met nowhere is gone. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk_twin.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/listing.h"

struct looking {
    struct disk *disk;
    bool must_compare; /* content of files, whatever the times say */
};

/* Notes everything that stat can tell. The descriptor of a folder stays good, wherever it moved. */
static void meet(struct looking *looking, uint32_t node, const struct stat *stat)
{
    struct disk *disk = looking->disk;
    struct twin *twin = disk->twins[node];
    const struct tree_node *wanted = tree_node(disk->tree, node);
    const struct stat *old = &twin->stat;
    const bool is_file = S_ISREG(stat->st_mode);
    const bool is_same_inode = disk_is_untouched(disk, old, stat);
    if (old->st_mode != stat->st_mode || old->st_uid != stat->st_uid ||
        old->st_gid != stat->st_gid || !disk_is_same_time(&old->st_mtim, &stat->st_mtim) ||
        (is_file && old->st_size != stat->st_size))
        disk->is_changed = true;
    const bool is_reread =
        wanted && wanted->atime_ns != -1 && !disk_is_same_time(&old->st_atim, &stat->st_atim);
    if (!is_same_inode || is_reread)
        disk_doubt(disk, node);
    twin->want_xattrs |= !is_same_inode;
    twin->want_list |= !is_same_inode;
    twin->want_bytes |= is_file && (looking->must_compare || !is_same_inode);
    if (twin->want_bytes)
        disk_doubt(disk, node);
    twin->stat = *stat;
    twin->met = disk->looks;
}

static bool is_right_target(const struct disk *disk, const struct disk_spot *spot, uint32_t node,
                            bool *out, struct err *err)
{
    char target[8192];
    const struct tree_node *wanted = tree_node(disk->tree, node);
    const ssize_t size = readlinkat(spot->dir_fd, spot->name, target, sizeof target);
    *out = false;
    if (!wanted || size < 0 || (size_t)size != wanted->target_size)
        return true;
    char *text OWN(own_mem) = mem_new(wanted->target_size, 1);
    if (!trace_read(disk->trace, wanted->target, text, wanted->target_size, err))
        return false;
    *out = memcmp(text, target, (size_t)size) == 0;
    return true;
}

/* Which of our nodes a thing on disk is; NODE_NONE: none of them. */
static bool recognise(struct looking *looking, const struct disk_spot *spot,
                      const struct stat *stat, uint32_t *out, struct err *err)
{
    const struct disk *disk = looking->disk;
    uint64_t node = NODE_NONE;
    *out = NODE_NONE;
    if (!map_get(&disk->by_inode, stat->st_ino, &node))
        return true;
    const struct twin *twin = disk->twins[node];
    if (twin->stat.st_dev != stat->st_dev || twin->stat.st_rdev != stat->st_rdev ||
        (twin->stat.st_mode & S_IFMT) != (stat->st_mode & S_IFMT))
        return true;
    if (S_ISDIR(stat->st_mode) && twin->met == disk->looks)
        return true;
    bool is_same = true;
    if (S_ISLNK(stat->st_mode) && !disk_is_untouched(disk, &twin->stat, stat) &&
        !is_right_target(disk, spot, (uint32_t)node, &is_same, err))
        return false;
    *out = is_same ? (uint32_t)node : (uint32_t)NODE_NONE;
    return true;
}

/* A folder has one name: the old one is not believed any more once it was met under another. */
static void move_name(struct disk *disk, struct tree_place place, uint32_t node)
{
    const struct twin *twin = disk->twins[node];
    if (S_ISDIR(twin->stat.st_mode) && twin->names_count > 0) {
        disk_doubt_place(disk, twin->names[0]);
        disk_name_drop(disk, twin->names[0]);
    }
    disk_name_add(disk, place, node);
}

/* What was found in a folder. */
struct found {
    uint32_t name, node;
    struct stat stat;
};
struct found_list {
    struct found *items;
    size_t count, capacity;
};

static bool remove_foreign(struct disk *disk, uint32_t dir, int fd, const char *text,
                           struct err *err)
{
    disk->is_changed = true;
    disk->twins[dir]->want_times = true;
    disk_doubt(disk, dir);
    return folder_remove(fd, text, err) || err_while(err, "build a crash state");
}

static bool find_listed(struct looking *looking, uint32_t dir, const char *text,
                        struct found_list *found, struct err *err)
{
    struct disk *disk = looking->disk;
    const int fd = disk_folder(disk, dir, err);
    if (fd < 0)
        return false;
    struct found one;
    if (fstatat(fd, text, &one.stat, AT_SYMLINK_NOFOLLOW) != 0)
        return disk_failed(disk, dir, "look into", err);
    const struct disk_spot spot = {.dir_fd = fd, .name = text};
    if (!recognise(looking, &spot, &one.stat, &one.node, err))
        return false;
    if (one.node == NODE_NONE)
        return remove_foreign(disk, dir, fd, text, err);
    one.name = disk_name(disk, text);
    mem_grow(&found->items, &found->capacity, found->count + 1, sizeof *found->items);
    found->items[found->count++] = one;
    return true;
}

static void drop_lost(struct disk *disk, uint32_t dir, const struct map *there)
{
    const struct map *entries = &disk->twins[dir]->entries;
    uint32_t *lost OWN(own_mem) = mem_new(entries->count, sizeof *lost);
    size_t count = 0;
    uint64_t name;
    uint64_t node;
    uint64_t other;
    for (size_t at = 0; map_next(entries, &at, &name, &node);) {
        if (!map_get(there, name, &other) || other != node)
            lost[count++] = (uint32_t)name;
    }
    for (size_t i = 0; i < count; i++) {
        const struct tree_place place = {.dir = dir, .name = lost[i]};
        disk->is_changed = true;
        disk_doubt_place(disk, place);
        disk_name_drop(disk, place);
    }
}

/* Makes the twins' names in a folder those that were found. */
static void believe(struct disk *disk, uint32_t dir, const struct found_list *found)
{
    struct map there = {0};
    for (size_t i = 0; i < found->count; i++)
        map_put(&there, found->items[i].name, found->items[i].node);
    drop_lost(disk, dir, &there);
    map_fini(&there);
    for (size_t i = 0; i < found->count; i++) {
        const struct tree_place place = {.dir = dir, .name = found->items[i].name};
        if (disk_entry(disk, place) != NODE_NONE)
            continue;
        disk->is_changed = true;
        disk_doubt_place(disk, place);
        move_name(disk, place, found->items[i].node);
    }
}

static bool list_folder(struct looking *looking, uint32_t dir, struct found_list *found,
                        struct err *err)
{
    struct disk *disk = looking->disk;
    struct listing listing OWN(listing_fini) = {0};
    const int fd = disk_folder(disk, dir, err);
    if (fd < 0 || !listing_read(fd, &listing, err))
        return false;
    for (size_t i = 0; i < listing.count; i++) {
        if (!find_listed(looking, dir, listing.names[i], found, err))
            return false;
    }
    believe(disk, dir, found);
    return true;
}

/* The names are as they were: one stat for each. false: after all they are not. */
static bool stat_folder(struct looking *looking, uint32_t dir, int fd, struct found_list *found)
{
    const struct disk *disk = looking->disk;
    const struct map *entries = &disk->twins[dir]->entries;
    uint64_t name;
    uint64_t node;
    for (size_t at = 0; map_next(entries, &at, &name, &node);) {
        struct found one = {.name = (uint32_t)name, .node = (uint32_t)node};
        const char *text = disk_text(disk, one.name);
        const struct stat *old = &disk->twins[node]->stat;
        if (fstatat(fd, text, &one.stat, AT_SYMLINK_NOFOLLOW) != 0 ||
            one.stat.st_ino != old->st_ino ||
            (one.stat.st_mode & S_IFMT) != (old->st_mode & S_IFMT) ||
            (S_ISLNK(old->st_mode) && !disk_is_untouched(disk, old, &one.stat)))
            return false;
        mem_grow(&found->items, &found->capacity, found->count + 1, sizeof *found->items);
        found->items[found->count++] = one;
    }
    return true;
}

static bool look_into(struct looking *looking, uint32_t dir, struct err *err);

static bool meet_all(struct looking *looking, uint32_t dir, const struct found_list *found,
                     struct err *err)
{
    struct disk *disk = looking->disk;
    for (size_t i = 0; i < found->count; i++)
        meet(looking, found->items[i].node, &found->items[i].stat);
    for (size_t i = 0; i < found->count; i++) {
        const struct found *one = &found->items[i];
        const struct tree_place place = {.dir = dir, .name = one->name};
        if (S_ISDIR(one->stat.st_mode) && disk_entry(disk, place) == one->node &&
            !look_into(looking, one->node, err))
            return false;
    }
    return true;
}

static bool look_into(struct looking *looking, uint32_t dir, struct err *err)
{
    struct disk *disk = looking->disk;
    const int fd = disk_folder(disk, dir, err);
    if (fd < 0)
        return false;
    struct found_list found = {0};
    bool is_listed = disk->twins[dir]->want_list;
    if (!is_listed && !stat_folder(looking, dir, fd, &found)) {
        is_listed = true;
        found.count = 0;
    }
    const bool ok = (!is_listed || list_folder(looking, dir, &found, err)) &&
                    meet_all(looking, dir, &found, err);
    free(found.items);
    return ok;
}

static void drop_entries(struct disk *disk, uint32_t dir)
{
    static const struct map nothing = {0};
    drop_lost(disk, dir, &nothing);
}

/* Whatever was met nowhere is gone, with all that was below it. */
static void drop_unmet(struct disk *disk)
{
    for (size_t i = 0; i < disk->twins_capacity; i++) {
        if (disk->twins[i] && disk->twins[i]->met != disk->looks)
            drop_entries(disk, (uint32_t)i);
    }
    for (size_t i = 0; i < disk->twins_capacity; i++) {
        if (!disk->twins[i] || disk->twins[i]->met == disk->looks)
            continue;
        disk->is_changed = true;
        disk_twin_forget(disk, (uint32_t)i);
    }
}

bool disk_look(struct disk *disk, bool must_compare, struct err *err)
{
    struct looking looking = {.disk = disk, .must_compare = must_compare};
    struct stat stat;
    disk->looks++;
    if (fstat(disk->twins[NODE_ROOT]->fd, &stat) != 0)
        return disk_failed(disk, NODE_ROOT, "look at", err);
    meet(&looking, NODE_ROOT, &stat);
    if (!look_into(&looking, NODE_ROOT, err))
        return false;
    drop_unmet(disk);
    return true;
}
