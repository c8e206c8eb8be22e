/* Makes the names on disk those of the tree.
 *
 * Names may have moved in any way, in a ring too, and a folder may have gone into one that is new.
 * So: first everything that is still wanted but stands in the wrong place steps aside, to a name of
 * its own in the root; then what is not wanted goes; then each name is made, from what stands
 * aside, as a further link, or anew. Inodes are kept that way, and with them the bytes of large
 * files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk_twin.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

struct change {
    struct tree_place place;
    uint32_t old, new;
};

static void name_changed(struct disk *disk, uint32_t dir)
{
    disk->twins[dir]->want_times = true;
    disk_doubt(disk, dir);
}

static const char *text_of(const struct disk *disk, struct tree_place place)
{
    return disk_text(disk, place.name);
}

/* A folder that gets another parent is written to itself (its ".."), so its bits matter too. */
static bool make_movable(struct disk *disk, uint32_t node, struct err *err)
{
    const bool is_bound = disk->is_weak && S_ISDIR(disk->twins[node]->stat.st_mode);
    return !is_bound || disk_folder(disk, node, err) >= 0;
}

static bool step_aside(struct disk *disk, struct tree_place place, uint32_t node, struct err *err)
{
    struct twin *twin = disk->twins[node];
    const int from = make_movable(disk, node, err) ? disk_folder(disk, place.dir, err) : -1;
    if (from < 0)
        return false;
    disk_name_drop(disk, place);
    twin->is_staged = true;
    disk->staged++;
    struct disk_spot spot;
    if (!disk_spot(disk, node, &spot, err))
        return false;
    name_changed(disk, place.dir);
    name_changed(disk, NODE_ROOT);
    return renameat(from, text_of(disk, place), spot.dir_fd, spot.name) == 0 ||
           disk_failed(disk, node, "move", err);
}

static bool remove_name(struct disk *disk, struct tree_place place, struct err *err);

/* The names in a folder as the disk has them: a copy, because the map shrinks meanwhile. */
static bool remove_entries(struct disk *disk, uint32_t dir, struct err *err)
{
    const struct map *entries = &disk->twins[dir]->entries;
    uint32_t *names OWN(own_mem) = mem_new(entries->count, sizeof *names);
    size_t count = 0;
    uint64_t name;
    uint64_t node;
    for (size_t at = 0; map_next(entries, &at, &name, &node);)
        names[count++] = (uint32_t)name;
    for (size_t i = 0; i < count; i++) {
        if (!remove_name(disk, (struct tree_place){.dir = dir, .name = names[i]}, err))
            return false;
    }
    return true;
}

static bool remove_name(struct disk *disk, struct tree_place place, struct err *err)
{
    const uint32_t node = disk_entry(disk, place);
    struct twin *twin = disk->twins[node];
    const bool is_folder = S_ISDIR(twin->stat.st_mode);
    if (is_folder && !remove_entries(disk, node, err))
        return false;
    const int fd = disk_folder(disk, place.dir, err);
    if (fd < 0)
        return false;
    if (unlinkat(fd, text_of(disk, place), is_folder ? AT_REMOVEDIR : 0) != 0)
        return disk_failed(disk, node, "remove", err);
    name_changed(disk, place.dir);
    disk_name_drop(disk, place);
    if (twin->names_count == 0) {
        disk_twin_forget(disk, node);
    } else {
        disk_doubt(disk, node); /* its ctime is another now */
    }
    return true;
}

static bool put_back(struct disk *disk, struct tree_place place, uint32_t node, struct err *err)
{
    struct twin *twin = disk->twins[node];
    struct disk_spot spot;
    if (!disk_spot(disk, node, &spot, err))
        return false;
    const int to = disk_folder(disk, place.dir, err);
    if (to < 0)
        return false;
    const int done = twin->is_staged ? renameat(spot.dir_fd, spot.name, to, text_of(disk, place))
                                     : linkat(spot.dir_fd, spot.name, to, text_of(disk, place), 0);
    if (done != 0)
        return disk_failed(disk, node, "move", err);
    disk->staged -= twin->is_staged;
    twin->is_staged = false;
    return true;
}

static bool make_file(struct disk *disk, struct tree_place place, uint32_t node, int dir_fd,
                      struct err *err)
{
    int fd OWN(own_fd) = openat(dir_fd, text_of(disk, place),
                                O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return disk_failed(disk, node, "make", err);
    return disk_fill(disk, node, fd, err);
}

static bool make_link(struct disk *disk, struct tree_place place, uint32_t node, int dir_fd,
                      struct err *err)
{
    const struct tree_node *stat = tree_node(disk->tree, node);
    char *target OWN(own_mem) = mem_new((size_t)stat->target_size + 1, 1);
    if (!trace_read(disk->trace, stat->target, target, stat->target_size, err))
        return false;
    return symlinkat(target, dir_fd, text_of(disk, place)) == 0 ||
           disk_failed(disk, node, "make the link", err);
}

/* Makes what stands at a new place. *is_made is false when this machine cannot. */
static bool make_thing(struct disk *disk, struct tree_place place, uint32_t node, bool *is_made,
                       struct err *err)
{
    const struct tree_node *stat = tree_node(disk->tree, node);
    const char *name = text_of(disk, place);
    const int fd = disk_folder(disk, place.dir, err);
    *is_made = true;
    if (fd < 0)
        return false;
    if (S_ISREG(stat->mode))
        return make_file(disk, place, node, fd, err);
    if (S_ISLNK(stat->mode))
        return make_link(disk, place, node, fd, err);
    if (S_ISDIR(stat->mode))
        return mkdirat(fd, name, 0700) == 0 || disk_failed(disk, node, "make the folder", err);
    if (mknodat(fd, name, (stat->mode & S_IFMT) | 0600, stat->device) == 0)
        return true;
    *is_made = false;
    if (errno != EPERM || !(S_ISCHR(stat->mode) || S_ISBLK(stat->mode)))
        return disk_failed(disk, node, "make", err);
    disk->left_out |= LEFT_OUT_DEVICES;
    return true;
}

static bool make_name(struct disk *disk, struct tree_place place, uint32_t node, struct err *err);

static bool make_entries(struct disk *disk, uint32_t dir, struct err *err)
{
    struct tree_entry *entries OWN(own_mem) = NULL;
    const size_t count = tree_entries(disk->tree, dir, &entries);
    for (size_t i = 0; i < count; i++) {
        const struct tree_place place = {.dir = dir, .name = entries[i].name};
        if (!make_name(disk, place, entries[i].node, err))
            return false;
    }
    return true;
}

static bool make_name(struct disk *disk, struct tree_place place, uint32_t node, struct err *err)
{
    const uint32_t there = disk_entry(disk, place);
    if (there == node)
        return true;
    CHECK(there == NODE_NONE);
    const bool is_old = disk_twin(disk, node) != NULL;
    bool is_made = true;
    const bool ok =
        is_old ? put_back(disk, place, node, err) : make_thing(disk, place, node, &is_made, err);
    if (!ok)
        return false;
    name_changed(disk, place.dir);
    if (!is_made)
        return true;
    if (!is_old) {
        struct twin *twin = disk_twin_new(disk, node);
        twin->stat.st_mode = (tree_node(disk->tree, node)->mode & S_IFMT) | S_IRWXU;
        twin->want_mode = twin->want_times = true;
    }
    disk_name_add(disk, place, node);
    disk_doubt(disk, node);
    if (is_old || !S_ISDIR(disk->twins[node]->stat.st_mode))
        return true;
    return make_entries(disk, node, err);
}

static size_t find_changes(const struct disk *disk, struct change **out)
{
    struct change *changes = mem_new(disk->places_count, sizeof *changes);
    size_t count = 0;
    for (size_t i = 0; i < disk->places_count; i++) {
        const struct tree_place place = disk->places[i];
        if (!disk_twin(disk, place.dir))
            continue;
        const uint32_t old = disk_entry(disk, place);
        const uint32_t new = tree_is_visible(disk->tree, place.dir)
                                 ? tree_lookup(disk->tree, place.dir, place.name)
                                 : (uint32_t)NODE_NONE;
        if (old != new)
            changes[count++] = (struct change){.place = place, .old = old, .new = new};
    }
    *out = changes;
    return count;
}

static bool clear_place(struct disk *disk, const struct change *change, bool is_wanted,
                        struct err *err)
{
    /* The same place may be listed twice, or have gone with its folder. */
    if (change->old == NODE_NONE || disk_entry(disk, change->place) != change->old ||
        tree_is_visible(disk->tree, change->old) != is_wanted)
        return true;
    if (is_wanted && disk->twins[change->old]->names_count == 1)
        return step_aside(disk, change->place, change->old, err);
    return remove_name(disk, change->place, err);
}

bool disk_settle_names(struct disk *disk, struct err *err)
{
    struct change *changes OWN(own_mem) = NULL;
    const size_t count = find_changes(disk, &changes);
    disk->places_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!clear_place(disk, &changes[i], true, err))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!clear_place(disk, &changes[i], false, err))
            return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (changes[i].new != NODE_NONE && disk_twin(disk, changes[i].place.dir) &&
            !make_name(disk, changes[i].place, changes[i].new, err))
            return false;
    }
    CHECK(disk->staged == 0);
    return true;
}
