/* The write family: bytes from the worker's memory to a descriptor. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"
#include "place.h"
#include "tracer/base/own.h"

enum { FLAG_HIPRI_MAX = 0xff, FLAG_NOAPPEND = 0x20 }; /* RWF_NOAPPEND is from Linux 6.9 */

/* What of the call's arguments says where the bytes are and where they go. */
static bool buffers(const struct tracee *tracee, struct memory_vectors *out)
{
    const struct call *call = &tracee->call;
    if (call->nr == SYS_write || call->nr == SYS_pwrite64) {
        memory_one(out, call->args[1], call->args[2]);
        return true;
    }
    return memory_vectors(tracee->tid, call->args[1], call->args[2], out);
}

static uint64_t flags_of(const struct call *call)
{
    return call->nr == SYS_pwritev2 ? call->args[5] : 0;
}

static bool is_positioned(const struct call *call)
{
    if (call->nr == SYS_pwritev2)
        return call->args[3] != UINT64_MAX;
    return call->nr == SYS_pwrite64 || call->nr == SYS_pwritev;
}

/* Offset and flags of a write to a file of the workspace. */
static void place_write(const struct recorder *recorder, const struct call *call,
                        const struct file *file, struct op *op)
{
    const uint64_t flags = flags_of(call);
    if ((file->flags & O_APPEND) != 0 && (flags & FLAG_NOAPPEND) == 0)
        op->flags |= OP_APPEND;
    if ((flags & RWF_APPEND) != 0)
        op->flags |= OP_APPEND;
    if ((file->flags & O_DIRECT) != 0)
        op->flags |= OP_DIRECT;
    if ((file->flags & O_SYNC) == O_SYNC || (flags & RWF_SYNC) != 0) {
        op->flags |= OP_FSYNC;
    } else if ((file->flags & O_DSYNC) != 0 || (flags & RWF_DSYNC) != 0) {
        op->flags |= OP_DSYNC;
    }
    if ((op->flags & OP_APPEND) != 0) {
        op->offset = nodes_facts(&recorder->nodes, op->node)->size;
    } else {
        op->offset = is_positioned(call) ? call->args[3] : file->position;
    }
}

static void describe(struct recorder *recorder, struct tracee *tracee, const struct file *file)
{
    struct call *call = &tracee->call;
    call->op = emit_start(tracee, file->kind == FILE_NODE ? OP_WRITE : OP_OUTPUT);
    if (call->nr != SYS_write && call->nr != SYS_pwrite64)
        call->op.flags |= OP_VECTOR;
    if (file->kind == FILE_NODE) {
        call->op.node = file->node;
        call->op.path = nodes_path(&recorder->nodes, file->node);
        place_write(recorder, call, file, &call->op);
        return;
    }
    call->op.path = file->path;
    if (file->is_acked)
        call->op.flags |= OP_ACKED;
}

/* Set-id bits go away with a write; the exit tells. */
static bool has_set_id(const struct recorder *recorder, uint32_t node)
{
    return (nodes_facts(&recorder->nodes, node)->mode & (S_ISUID | S_ISGID)) != 0;
}

/* A plain write to a regular file may be taken as done at its entry. */
static bool is_entry_enough(const struct recorder *recorder, const struct call *call, uint64_t size)
{
    return !recorder->options->want_exits && recorder->watch == NULL &&
           (call->op.offset + size) >> 63 == 0 && recorder_is_alone(recorder) &&
           call->nr != SYS_pwritev2 && call->got == size &&
           (call->op.flags & (OP_DIRECT | OP_DSYNC | OP_FSYNC)) == 0 &&
           !has_set_id(recorder, call->op.node) &&
           !mapped_has_node(recorder->mapped, call->op.node);
}

static void finish(struct recorder *recorder, struct op *op, uint64_t size)
{
    op->size = op->payload_size = size;
    emit(recorder, op);
    if (op->kind == OP_WRITE)
        mapped_written(recorder->mapped, op->node, op->offset, size);
}

enum call_next write_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct call *call = &tracee->call;
    struct memory_vectors from;
    struct file file;
    if (!files_get(recorder->files, tracee->tid, (int)call->args[0], &file) ||
        !file_is_writable(&file))
        return CALL_FREE;
    if (file.kind == FILE_SOCKET)
        return send_enter(recorder, tracee, err);
    if (file.kind == FILE_NOTHING || !buffers(tracee, &from) || from.size == 0)
        return CALL_FREE;
    describe(recorder, tracee, &file);
    emit_stack(recorder, tracee);
    call->op.stack = call->stack;
    struct memory_piece piece;
    if (!memory_payload(tracee->tid, &from, recorder->writer, &piece, err))
        return CALL_FAILED;
    call->op.payload = piece.at;
    call->got = piece.got;
    if (file.kind == FILE_OUTSIDE) {
        if (S_ISREG(file.mode) && !file.is_inherited)
            emit_outside_note(recorder, trace_string(recorder->writer->trace, file.path));
        return CALL_FOLLOWED;
    }
    if (!is_entry_enough(recorder, call, from.size))
        return CALL_SERIAL;
    finish(recorder, &call->op, from.size);
    return CALL_DONE;
}

/* Whether the file has these bytes there. Looked at only where two places are possible. */
static bool is_at(const struct tracee *tracee, uint64_t offset, const struct op *op)
{
    enum { LOOK_MAX = 4096 };
    char there[LOOK_MAX], written[LOOK_MAX];
    const size_t size = op->size < LOOK_MAX ? (size_t)op->size : LOOK_MAX;
    struct memory_vectors from;
    int fd OWN(own_fd) = files_reopen(tracee->tid, (int)tracee->call.args[0]);
    if (fd == -1 || pread(fd, there, size, (off_t)offset) != (ssize_t)size ||
        !buffers(tracee, &from))
        return false;
    size_t filled = 0;
    for (size_t i = 0; i < from.count && filled < size; i++) {
        const size_t left = size - filled;
        const size_t piece = from.items[i].iov_len < left ? from.items[i].iov_len : left;
        filled += memory_read(tracee->tid, (uint64_t)(uintptr_t)from.items[i].iov_base,
                              written + filled, piece);
    }
    return filled == size && memcmp(there, written, size) == 0;
}

/* Processes that share the position may have moved it between our look at the entry and the write.
 * The position after the write tells; when it has been moved again, the file itself does. */
static void settle_offset(struct recorder *recorder, struct tracee *tracee)
{
    struct call *call = &tracee->call;
    struct file file;
    if (call->op.kind != OP_WRITE || is_positioned(call) || (call->op.flags & OP_APPEND) != 0 ||
        recorder_is_alone(recorder) ||
        !files_get(recorder->files, tracee->tid, (int)call->args[0], &file) ||
        file.kind != FILE_NODE || file.node != call->op.node || file.position < call->op.size)
        return;
    const uint64_t by_exit = file.position - call->op.size;
    if (by_exit != call->op.offset && !is_at(tracee, call->op.offset, &call->op))
        call->op.offset = by_exit;
}

bool write_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    if (call->op.kind == OP_SEND)
        return send_leave(recorder, tracee, result, err);
    if (result <= 0)
        return true;
    if ((uint64_t)result > call->got) {
        return err_usage(err, "write to %s: the worker's memory could not be read",
                         trace_string(recorder->writer->trace, call->op.path));
    }
    call->op.size = (uint64_t)result;
    settle_offset(recorder, tracee);
    finish(recorder, &call->op, (uint64_t)result);
    if (call->op.kind == OP_WRITE && has_set_id(recorder, call->op.node)) {
        struct file file;
        struct stat facts;
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tracee->tid, (int)call->args[0]);
        if (files_get(recorder->files, tracee->tid, (int)call->args[0], &file) &&
            stat(path, &facts) == 0)
            emit_mode_if_changed(recorder, tracee, call->op.node, facts.st_mode);
    }
    return true;
}
