#include "disk_twin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

enum { FOLDERS_MAX = 128, MODE = 07777 };

struct twin *disk_twin(const struct disk *disk, uint32_t node)
{
    return node < disk->twins_capacity ? disk->twins[node] : NULL;
}

struct twin *disk_twin_new(struct disk *disk, uint32_t node)
{
    const size_t before = disk->twins_capacity;
    mem_grow(&disk->twins, &disk->twins_capacity, (size_t)node + 1, sizeof(struct twin *));
    for (size_t i = before; i < disk->twins_capacity; i++)
        disk->twins[i] = NULL;
    CHECK(!disk->twins[node]);
    struct twin *twin = mem_new(1, sizeof *twin);
    twin->fd = -1;
    disk->twins[node] = twin;
    return twin;
}

static void close_folder(struct disk *disk, uint32_t node)
{
    size_t at = 0;
    while (at < disk->folders_count && disk->folders[at] != node)
        at++;
    if (at == disk->folders_count)
        return;
    disk->folders[at] = disk->folders[--disk->folders_count];
    own_close_now(&disk->twins[node]->fd);
}

void disk_twin_forget(struct disk *disk, uint32_t node)
{
    struct twin *twin = disk->twins[node];
    while (twin->names_count > 0)
        disk_name_drop(disk, twin->names[0]);
    CHECK(twin->entries.count == 0);
    close_folder(disk, node);
    uint64_t owner;
    if (map_get(&disk->by_inode, twin->stat.st_ino, &owner) && owner == node)
        map_remove(&disk->by_inode, twin->stat.st_ino);
    disk->staged -= twin->is_staged;
    map_fini(&twin->entries);
    free(twin->names);
    free(twin);
    disk->twins[node] = NULL;
}

void disk_name_add(struct disk *disk, struct tree_place place, uint32_t node)
{
    struct twin *twin = disk->twins[node];
    mem_grow(&twin->names, &twin->names_capacity, twin->names_count + 1, sizeof *twin->names);
    twin->names[twin->names_count++] = place;
    const bool is_new = map_put(&disk->twins[place.dir]->entries, place.name, node);
    CHECK(is_new);
}

uint32_t disk_entry(const struct disk *disk, struct tree_place place)
{
    uint64_t node = NODE_NONE;
    const struct twin *dir = disk_twin(disk, place.dir);
    if (dir)
        map_get(&dir->entries, place.name, &node);
    return (uint32_t)node;
}

void disk_name_drop(struct disk *disk, struct tree_place place)
{
    const uint32_t node = disk_entry(disk, place);
    CHECK(node != NODE_NONE);
    struct twin *twin = disk->twins[node];
    size_t at = 0;
    while (twin->names[at].dir != place.dir || twin->names[at].name != place.name)
        at++;
    twin->names[at] = twin->names[--twin->names_count];
    map_remove(&disk->twins[place.dir]->entries, place.name);
}

uint32_t disk_name(struct disk *disk, const char *text)
{
    uint32_t number;
    if (strings_find(&disk->trace->strings, text, &number))
        return number;
    return strings_add(&disk->foreign, text) | DISK_FOREIGN;
}

const char *disk_text(const struct disk *disk, uint32_t name)
{
    if (name & DISK_FOREIGN)
        return strings_get(&disk->foreign, name & ~(uint32_t)DISK_FOREIGN);
    return trace_string(disk->trace, name);
}

void disk_doubt(struct disk *disk, uint32_t node)
{
    struct twin *twin = disk_twin(disk, node);
    if (!twin || twin->is_listed)
        return;
    twin->is_listed = true;
    mem_grow(&disk->doubtful, &disk->doubtful_capacity, disk->doubtful_count + 1,
             sizeof *disk->doubtful);
    disk->doubtful[disk->doubtful_count++] = node;
}

void disk_doubt_place(struct disk *disk, struct tree_place place)
{
    mem_grow(&disk->places, &disk->places_capacity, disk->places_count + 1, sizeof *disk->places);
    disk->places[disk->places_count++] = place;
}

bool disk_failed(const struct disk *disk, uint32_t node, const char *what, struct err *err)
{
    const int why = errno;
    char *path OWN(own_mem) = tree_path(disk->tree, node);
    char *shown OWN(own_mem) = text_escape(path ? path : "a file without a name", SIZE_MAX);
    errno = why;
    return err_system(err, "build a crash state: %s %s", what, *shown ? shown : ".");
}

bool disk_spot(struct disk *disk, uint32_t node, struct disk_spot *out, struct err *err)
{
    const struct twin *twin = disk->twins[node];
    const struct tree_place aside = {.dir = NODE_ROOT};
    const struct tree_place place = twin->is_staged ? aside : twin->names[0];
    const int fd = disk_folder(disk, place.dir, err);
    if (fd < 0)
        return false;
    out->dir_fd = fd;
    snprintf(out->text, sizeof out->text, ".brink-moving-%u", node);
    out->name = twin->is_staged ? out->text : disk_text(disk, place.name);
    return true;
}

/* Who is not root cannot work in a folder without these bits. disk_settle puts them back. */
static bool widen_folder(struct disk *disk, uint32_t node, struct err *err)
{
    struct twin *twin = disk->twins[node];
    if (!disk->is_weak || (twin->stat.st_mode & S_IRWXU) == S_IRWXU)
        return true;
    twin->stat.st_mode |= S_IRWXU;
    disk_doubt(disk, node);
    return fchmod(twin->fd, twin->stat.st_mode & MODE) == 0 ||
           disk_failed(disk, node, "open the folder", err);
}

static int open_folder(struct disk *disk, uint32_t node, const struct disk_spot *spot)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int fd = openat(spot->dir_fd, spot->name, flags);
    if (fd >= 0 || errno != EACCES)
        return fd;
    struct twin *twin = disk->twins[node];
    twin->stat.st_mode |= S_IRWXU;
    disk_doubt(disk, node);
    if (fchmodat(spot->dir_fd, spot->name, twin->stat.st_mode & MODE, 0) != 0)
        return -1;
    return openat(spot->dir_fd, spot->name, flags);
}

static void make_room(struct disk *disk)
{
    if (disk->folders_count < FOLDERS_MAX)
        return;
    uint32_t oldest = disk->folders[0];
    for (size_t i = 1; i < disk->folders_count; i++) {
        if (disk->twins[disk->folders[i]]->used < disk->twins[oldest]->used)
            oldest = disk->folders[i];
    }
    close_folder(disk, oldest);
}

int disk_folder(struct disk *disk, uint32_t node, struct err *err)
{
    struct twin *twin = disk->twins[node];
    if (twin->fd < 0) {
        struct disk_spot spot;
        if (!disk_spot(disk, node, &spot, err))
            return -1;
        const int fd = open_folder(disk, node, &spot);
        if (fd < 0) {
            disk_failed(disk, node, "open the folder", err);
            return -1;
        }
        make_room(disk);
        twin->fd = fd;
        mem_grow(&disk->folders, &disk->folders_capacity, disk->folders_count + 1,
                 sizeof *disk->folders);
        disk->folders[disk->folders_count++] = node;
    }
    twin->used = ++disk->clock;
    return widen_folder(disk, node, err) ? twin->fd : -1;
}

bool disk_file(struct disk *disk, uint32_t node, int flags, int *out_fd, struct err *err)
{
    struct disk_spot spot;
    if (!disk_spot(disk, node, &spot, err))
        return false;
    int fd = openat(spot.dir_fd, spot.name, flags | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) {
        struct twin *twin = disk->twins[node];
        twin->stat.st_mode |= S_IRUSR | S_IWUSR;
        disk_doubt(disk, node);
        if (fchmodat(spot.dir_fd, spot.name, twin->stat.st_mode & MODE, 0) == 0)
            fd = openat(spot.dir_fd, spot.name, flags | O_NOFOLLOW | O_CLOEXEC);
    }
    if (fd < 0)
        return disk_failed(disk, node, "open", err);
    *out_fd = fd;
    return true;
}
