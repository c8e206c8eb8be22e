#include "footing.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "disk_twin.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

struct footing {
    const struct disk *disk;
    struct trace_writer *writer;
    struct snapshot_items *items;
    struct map met;    /* nodes with a name already */
    uint32_t *folders; /* to be listed */
    size_t folders_count, folders_capacity;
};

static void add_item(struct footing *footing, uint32_t node)
{
    struct snapshot_items *items = footing->items;
    const struct twin *twin = disk_twin(footing->disk, node);
    if (!twin)
        return;
    mem_grow(&items->items, &items->capacity, items->count + 1, sizeof *items->items);
    items->items[items->count++] =
        (struct snapshot_item){.dev = twin->stat.st_dev, .ino = twin->stat.st_ino, .node = node};
}

static void add_name(struct footing *footing, struct tree_place place, uint32_t node)
{
    const struct tree_node *about = tree_node(footing->disk->tree, node);
    const bool is_new = map_put(&footing->met, node, 1);
    const char *text = trace_string(footing->disk->trace, place.name);
    struct op op = {.kind = is_new ? OP_CREATE : OP_LINK,
                    .node = node,
                    .dir = place.dir,
                    .name = strings_add(&footing->writer->trace->strings, text),
                    .mode = about->mode};
    trace_writer_op(footing->writer, &op);
    if (!is_new)
        return;
    add_item(footing, node);
    if (S_ISREG(about->mode)) {
        const struct op size = {.kind = OP_TRUNCATE, .node = node, .size = about->size};
        trace_writer_op(footing->writer, &size);
    }
    if (S_ISDIR(about->mode)) {
        mem_grow(&footing->folders, &footing->folders_capacity, footing->folders_count + 1,
                 sizeof *footing->folders);
        footing->folders[footing->folders_count++] = node;
    }
}

static void add_folder(struct footing *footing, uint32_t dir)
{
    struct tree_entry *entries OWN(own_mem) = NULL;
    const size_t count = tree_entries(footing->disk->tree, dir, &entries);
    for (size_t i = 0; i < count; i++) {
        const struct tree_place place = {.dir = dir, .name = entries[i].name};
        add_name(footing, place, entries[i].node);
    }
}

void footing_write(const struct disk *disk, struct trace_writer *writer,
                   struct snapshot_items *items)
{
    struct footing footing = {.disk = disk, .writer = writer, .items = items};
    *items = (struct snapshot_items){0};
    add_item(&footing, NODE_ROOT);
    add_folder(&footing, NODE_ROOT);
    while (footing.folders_count > 0)
        add_folder(&footing, footing.folders[--footing.folders_count]);
    free(footing.folders);
    map_fini(&footing.met);
}
