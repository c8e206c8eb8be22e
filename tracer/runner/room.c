#include "room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "tracer/base/file.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

struct taken {
    uint64_t bytes;
    uint32_t links;
};

/* What the op adds to its node. Bytes written, not the size: holes take no room; writing a place
 * twice counts no more than the file's end. */
static uint64_t grown(const struct op *op, uint64_t bytes)
{
    const uint64_t end = op->offset + op->payload_size;
    const uint64_t sum = bytes + op->payload_size;
    if (op->kind == OP_TRUNCATE)
        return op->size < bytes ? op->size : bytes;
    if (op->kind == OP_ALLOCATE)
        return bytes + op->size;
    if (op->kind != OP_WRITE && op->kind != OP_STORE)
        return bytes;
    if (bytes > end)
        return bytes;
    return sum < end ? sum : end;
}

static void drop(struct taken *node, uint64_t *total)
{
    if (node->links > 0 && --node->links == 0) {
        *total -= node->bytes;
        node->bytes = 0;
    }
}

static void apply(struct taken *nodes, const struct op *op, uint64_t *total)
{
    struct taken *node = &nodes[op->node];
    const uint64_t bytes = grown(op, node->bytes);
    *total += bytes - node->bytes;
    node->bytes = bytes;
    if (op->kind == OP_LINK || (op->kind == OP_CREATE && op->dir != NODE_NONE))
        node->links++;
    if (op->kind == OP_UNLINK || op->kind == OP_CARRY)
        drop(node, total);
    const bool is_exchange = op->call_flags & RENAME_EXCHANGE;
    if (op->kind == OP_RENAME && op->node2 != NODE_NONE && op->node2 != op->node && !is_exchange)
        drop(&nodes[op->node2], total);
}

static bool is_of_workspace(const struct trace *trace, const struct op *op)
{
    return op_changes_workspace(op) && op->node < trace->nodes && op->node2 < trace->nodes;
}

uint64_t room_needed(const struct trace *trace)
{
    struct taken *nodes OWN(own_mem) = mem_new(trace->nodes + 1, sizeof *nodes);
    uint64_t total = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        if (!is_of_workspace(trace, &trace->ops[i]))
            continue;
        apply(nodes, &trace->ops[i], &total);
        most = total > most ? total : most;
    }
    return most;
}

uint64_t room_memory(void)
{
    struct err ignored = {0};
    char *text OWN(own_mem) = NULL;
    size_t size = 0;
    const char *name = "MemAvailable:";
    if (file_read("/proc/meminfo", 65536, &text, &size, &ignored) && strstr(text, name))
        return strtoull(strstr(text, name) + strlen(name), NULL, 10) * 1024;
    struct sysinfo info = {0};
    if (sysinfo(&info) < 0)
        return UINT64_MAX;
    return ((uint64_t)info.freeram + info.bufferram) * info.mem_unit;
}
