#include "disk.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk_twin.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static bool fill(struct disk *disk, struct err *err)
{
    struct tree_entry *entries OWN(own_mem) = NULL;
    const size_t count = tree_entries(disk->tree, NODE_ROOT, &entries);
    for (size_t i = 0; i < count; i++)
        disk_doubt_place(disk, (struct tree_place){.dir = NODE_ROOT, .name = entries[i].name});
    tree_touched_clear(disk->tree);
    disk->twins[NODE_ROOT]->want_times = true;
    disk_doubt(disk, NODE_ROOT);
    return disk_sync(disk, err);
}

bool disk_open(struct tree *tree, int dir_fd, const struct disk_options *options, struct disk **out,
               struct err *err)
{
    const int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    struct stat stat;
    if (fd < 0)
        return err_system(err, "open the folder for crash states");
    struct disk *disk = mem_new(1, sizeof *disk);
    disk->tree = tree;
    disk->trace = tree_trace(tree);
    disk->options = *options;
    disk->is_weak = geteuid() != 0;
    disk->buffer = mem_new(DISK_BUFFER, 1);
    disk->other = mem_new(DISK_BUFFER, 1);
    struct twin *root = disk_twin_new(disk, NODE_ROOT);
    root->fd = fd;
    const bool ok = fstat(fd, &stat) == 0;
    if (!ok)
        err_system(err, "look at the folder for crash states");
    root->stat = stat;
    if (!ok || !fill(disk, err)) {
        disk_close(disk);
        return false;
    }
    *out = disk;
    return true;
}

void disk_close(struct disk *disk)
{
    if (!disk)
        return;
    for (size_t i = 0; i < disk->twins_capacity; i++) {
        struct twin *twin = disk->twins[i];
        if (!twin)
            continue;
        own_fd(&twin->fd);
        map_fini(&twin->entries);
        free(twin->names);
        free(twin);
    }
    free(disk->twins);
    map_fini(&disk->by_inode);
    strings_fini(&disk->foreign);
    free(disk->doubtful);
    free(disk->places);
    free(disk->folders);
    free(disk->buffer);
    free(disk->other);
    free(disk);
}

static bool compare_doubtful(struct disk *disk, struct err *err)
{
    /* The list may grow meanwhile, by folders. */
    for (size_t i = 0; i < disk->doubtful_count; i++) {
        const uint32_t node = disk->doubtful[i];
        const struct twin *twin = disk_twin(disk, node);
        if (twin && twin->want_bytes && !disk_compare_bytes(disk, node, err))
            return false;
    }
    return true;
}

/* Spells out what could not be done here. */
static void tell_left_out(struct disk *disk)
{
    static const struct {
        unsigned bit;
        const char *words;
    } kinds[] = {{LEFT_OUT_DEVICES, "device nodes"},
                 {LEFT_OUT_OWNERS, "owners"},
                 {LEFT_OUT_XATTRS, "extended attributes"},
                 {LEFT_OUT_MODES, "set-user-ID and set-group-ID bits"}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if ((disk->left_out & kinds[i].bit) == 0)
            continue;
        const int size = snprintf(disk->left_out_text + used, sizeof disk->left_out_text - used,
                                  "%s%s", used ? ", " : "", kinds[i].words);
        used += (size_t)size;
    }
}

bool disk_sync(struct disk *disk, struct err *err)
{
    const struct tree_touched touched = tree_touched(disk->tree);
    for (size_t i = 0; i < touched.places_count; i++)
        disk_doubt_place(disk, touched.places[i]);
    for (size_t i = 0; i < touched.nodes_count; i++)
        disk_doubt(disk, touched.nodes[i]);
    if (disk->places_count > 0 && !disk_settle_names(disk, err))
        return false;
    if (!disk_write_touched(disk, &touched, err) || !compare_doubtful(disk, err) ||
        !disk_settle_attributes(disk, err))
        return false;
    tree_touched_clear(disk->tree);
    if (disk->left_out)
        tell_left_out(disk);
    return true;
}

bool disk_restore(struct disk *disk, bool must_compare, bool *changed, struct err *err)
{
    disk->is_changed = false;
    if (!disk_look(disk, must_compare, err) || !disk_sync(disk, err))
        return false;
    if (changed)
        *changed = disk->is_changed;
    return true;
}

const char *disk_left_out(const struct disk *disk)
{
    return disk->left_out ? disk->left_out_text : NULL;
}
