#include "taken_in.h"

#include <stdlib.h>

#include "emit.h"
#include "tracer/trace/snapshot.h"

/* The nodes that were made for files that had one: new number to old number. */
static void find_known(const struct nodes *nodes, struct snapshot_items *items, struct map *known)
{
    for (size_t i = 0; i < items->count; i++) {
        struct snapshot_item *item = &items->items[i];
        const uint32_t node = nodes_of_inode(nodes, item->dev, item->ino);
        if (node == NODE_NONE || nodes_facts(nodes, node)->links == 0)
            continue;
        map_put(known, item->node, node);
        item->node = node;
    }
}

/* What was read of a file that had a node already is dropped but for its new names. */
static void link_known(struct trace *trace, uint32_t first, const struct map *known)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < trace->count; i++) {
        struct op op = trace->ops[i];
        uint64_t node;
        const bool is_known = map_get(known, op.node, &node);
        if (is_known && op.kind != OP_CREATE && op.kind != OP_LINK)
            continue;
        if (is_known) {
            op.kind = OP_LINK;
            op.node = (uint32_t)node;
            op.payload_size = 0;
        }
        trace->ops[kept++] = op;
    }
    trace->count = kept;
}

bool taken_in(struct recorder *recorder, const struct tracee *tracee,
              const struct call_place *place, struct err *err)
{
    struct trace *trace = recorder->writer->trace;
    struct nodes *nodes = &recorder->nodes;
    const uint32_t first = trace->count;
    struct snapshot_items items = {0};
    struct map known = {0};
    uint32_t node;
    const struct snapshot_options options = {
        .dir = place->dir,
        .prefix = trace_string(trace, nodes_path(nodes, place->dir)),
        .exclude = recorder->options->exclude,
    };
    const bool is_read = snapshot_read_entry(recorder->writer, place->walk.dir_fd, place->walk.name,
                                             &options, &items, &node, err);
    if (is_read) {
        find_known(nodes, &items, &known);
        link_known(trace, first, &known);
        for (uint32_t i = first; i < trace->count; i++)
            nodes_apply(nodes, &trace->ops[i]);
        nodes_add_items(nodes, &items);
        emit_adopt(recorder, tracee, first);
    }
    map_fini(&known);
    free(items.items);
    return is_read || err_while(err, "read what came into the workspace as %s", place->walk.name);
}
