#include "emit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "robust.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { OUTSIDE_NOTES_MAX = 10, NAMES_MAX = 4096, VALUE_MAX = 65536 };

struct op emit_start(const struct tracee *tracee, enum op_kind kind)
{
    const struct call *call = &tracee->call;
    return (struct op){.kind = (uint8_t)kind,
                       .thread = tracee->number,
                       .enter = call->enter,
                       .stack = call->stack,
                       .call = (uint16_t)call->nr};
}

void emit_stack(struct recorder *recorder, struct tracee *tracee)
{
    if (recorder->unwinder != NULL && tracee->call.stack == 0)
        tracee->call.stack = unwinder_stack(recorder->unwinder, tracee->process->pid, tracee->tid);
}

uint32_t emit(struct recorder *recorder, struct op *op)
{
    op->time_ns = clock_date();
    nodes_apply(&recorder->nodes, op);
    return trace_writer_op(recorder->writer, op);
}

/* Attributes that a new object has from its directory (access lists) or from a security module. */
static bool create_xattrs(struct recorder *recorder, const struct op *create, int fd,
                          struct err *err)
{
    char path[40];
    char names[NAMES_MAX];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    /* A file system without attributes says so: there are none then. */
    const ssize_t size = S_ISLNK(create->mode) ? 0 : listxattr(path, names, sizeof names);
    for (const char *name = names; size > 0 && name < names + size; name += strlen(name) + 1) {
        char *value OWN(own_mem) = mem_new(VALUE_MAX, 1);
        const ssize_t value_size = getxattr(path, name, value, VALUE_MAX);
        if (value_size < 0)
            continue; /* not ours to read, so no part of what is compared */
        struct op op = {.kind = OP_SETXATTR,
                        .thread = create->thread,
                        .enter = create->enter,
                        .stack = create->stack,
                        .call = create->call,
                        .node = create->node,
                        .path = create->path,
                        .payload_size = (uint64_t)value_size};
        op.name = strings_add(&recorder->writer->trace->strings, name);
        if (!trace_writer_payload(recorder->writer, value, (size_t)value_size, &op.payload, err))
            return false;
        recorder->writer->trace->ops[recorder->writer->trace->count - 1].flags |= OP_MORE;
        emit(recorder, &op);
    }
    return true;
}

static bool create_target(struct recorder *recorder, int fd, struct op *op, struct err *err)
{
    char target[PATH_MAX];
    const ssize_t size = readlinkat(fd, "", target, sizeof target);
    if (size < 0) {
        return err_system(err, "read the new symbolic link %s",
                          trace_string(recorder->writer->trace, op->path));
    }
    op->payload_size = (uint64_t)size;
    return trace_writer_payload(recorder->writer, target, (size_t)size, &op->payload, err);
}

bool emit_create(struct recorder *recorder, const struct tracee *tracee,
                 const struct emit_created *what, uint32_t *node, struct err *err)
{
    struct trace *trace = recorder->writer->trace;
    struct stat facts;
    if (fstat(what->fd, &facts) == -1)
        return err_system(err, "look at the new %s", what->name);
    struct op op = emit_start(tracee, OP_CREATE);
    op.node = trace_writer_node(recorder->writer);
    op.mode = facts.st_mode;
    op.uid = facts.st_uid;
    op.gid = facts.st_gid;
    if (S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode))
        op.size = facts.st_rdev;
    if (what->dir != NODE_NONE) {
        char *path OWN(own_mem) = nodes_path_at(&recorder->nodes, what->dir, what->name);
        op.dir = what->dir;
        op.name = strings_add(&trace->strings, what->name);
        op.path = strings_add(&trace->strings, path);
    }
    if (S_ISLNK(facts.st_mode) && !create_target(recorder, what->fd, &op, err))
        return false;
    emit(recorder, &op);
    nodes_set_ino(&recorder->nodes, op.node, facts.st_ino);
    *node = op.node;
    return create_xattrs(recorder, &op, what->fd, err);
}

void emit_mode_if_changed(struct recorder *recorder, const struct tracee *tracee, uint32_t node,
                          uint32_t mode)
{
    const struct node_facts *known = nodes_facts(&recorder->nodes, node);
    if (((known->mode ^ mode) & 07777) == 0)
        return;
    struct trace *trace = recorder->writer->trace;
    struct op op = emit_start(tracee, OP_CHMOD);
    op.node = node;
    op.mode = mode & 07777;
    op.path = nodes_path(&recorder->nodes, node);
    trace->ops[trace->count - 1].flags |= OP_MORE;
    emit(recorder, &op);
}

void emit_adopt(struct recorder *recorder, const struct tracee *tracee, uint32_t first)
{
    struct trace *trace = recorder->writer->trace;
    const struct op common = emit_start(tracee, OP_CREATE);
    for (uint32_t i = first; i < trace->count; i++) {
        struct op *op = &trace->ops[i];
        op->thread = common.thread;
        op->enter = common.enter;
        op->stack = common.stack;
        op->call = common.call;
        op->time_ns = clock_date();
        if (i + 1 < trace->count) {
            op->flags |= OP_MORE;
        } else {
            op->flags &= (uint16_t)~OP_MORE;
        }
    }
}

/* What mapped_scan hands pages to. */
struct stores {
    struct recorder *recorder;
    const struct tracee *tracee;
    uint32_t count;
};

/* NOLINTNEXTLINE(readability-function-size): the sink's shape */
static bool store_found(void *context, uint32_t node, uint64_t offset, const void *bytes,
                        size_t size, struct err *err)
{
    struct stores *stores = context;
    struct recorder *recorder = stores->recorder;
    struct op op = emit_start(stores->tracee, OP_STORE);
    op.node = node;
    op.path = nodes_path(&recorder->nodes, node);
    op.offset = offset;
    op.size = op.payload_size = size;
    op.flags = OP_MORE;
    op.call = 0;
    op.stack = 0; /* where the stores were made is not known */
    op.enter = recorder->writer->trace->count - stores->count;
    if (!trace_writer_payload(recorder->writer, bytes, size, &op.payload, err))
        return false;
    emit(recorder, &op);
    stores->count++;
    return true;
}

static uint64_t store_file_size(void *context, uint32_t node)
{
    const struct stores *stores = context;
    const struct node_facts *facts = nodes_facts(&stores->recorder->nodes, node);
    return facts == NULL ? 0 : facts->size;
}

bool emit_stores(struct recorder *recorder, const struct tracee *tracee, struct err *err)
{
    if (mapped_is_empty(recorder->mapped))
        return true;
    struct stores stores = {.recorder = recorder, .tracee = tracee};
    const struct mapped_sink sink = {
        .found = store_found, .file_size = store_file_size, .context = &stores};
    const uint32_t before = recorder->writer->trace->count;
    const bool is_done = mapped_scan(recorder->mapped, &sink, err);
    struct trace *trace = recorder->writer->trace;
    if (stores.count == 0)
        return is_done;
    trace->ops[trace->count - 1].flags &= (uint16_t)~OP_MORE;
    return is_done && robust_look(recorder, before, err);
}

void emit_outside_note(struct recorder *recorder, const char *path)
{
    if (recorder->outside_notes > OUTSIDE_NOTES_MAX)
        return;
    const size_t before = recorder->writer->trace->about.notes_count;
    trace_writer_note(recorder->writer, "writes outside the workspace: %s (not followed)", path);
    if (recorder->writer->trace->about.notes_count == before)
        return;
    if (++recorder->outside_notes > OUTSIDE_NOTES_MAX)
        trace_writer_note(recorder->writer, "and more paths outside the workspace, not listed");
}
