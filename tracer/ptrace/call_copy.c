/* What the kernel copies by itself: sendfile, copy_file_range, splice, vmsplice, tee and clones.
 *
 * The bytes never pass the worker's memory. What went into a file is read back from that file after
 * the call; what went outside is read from the file it came from. Bytes that move from a pipe or
 * socket to the outside could be read nowhere afterwards, so such a call is answered EINVAL, as for
 * descriptors that cannot be spliced, and programs go on with read and write. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "calls.h"
#include "emit.h"
#include "tracer/base/own.h"

enum { PIECE_MAX = 1 << 20 };

/* Which arguments are what; -1: none. */
struct shape {
    long nr;
    int from, from_offset, to, to_offset;
};
static const struct shape SHAPES[] = {
    {SYS_sendfile, 1, 2, 0, -1}, {SYS_copy_file_range, 0, 1, 2, 3}, {SYS_splice, 0, 1, 2, 3},
    {SYS_tee, 0, -1, 1, -1},     {SYS_ioctl, -1, -1, 0, -1},
};

static const struct shape *shape_of(long nr)
{
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        if (SHAPES[i].nr == nr)
            return &SHAPES[i];
    }
    return NULL;
}

/* The offset that a call works at: in memory where an argument points there, else the position. */
static uint64_t offset_of(const struct tracee *tracee, int argument, const struct file *file)
{
    uint64_t offset;
    if (argument == -1 || tracee->call.args[argument] == 0 ||
        !memory_read_all(tracee->tid, tracee->call.args[argument], &offset, sizeof offset))
        return file->position;
    return offset;
}

/* Answers the call with EINVAL instead of doing it. */
static enum call_next refuse(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct user_regs_struct regs;
    trace_writer_note(recorder->writer,
                      "splice from a pipe or socket to the outside cannot be recorded: the worker "
                      "was answered EINVAL, and most programs then read and write instead");
    if (ptrace(PTRACE_GETREGS, tracee->tid, 0, &regs) == -1)
        return CALL_FREE;
    regs.orig_rax = (unsigned long)-1;
    regs.rax = (unsigned long)-EINVAL;
    if (ptrace(PTRACE_SETREGS, tracee->tid, 0, &regs) == -1 && errno != ESRCH) {
        err_system(err, "refuse splice to the worker");
        return CALL_FAILED;
    }
    return CALL_FREE;
}

/* A clone's range: where in the file it lands, and how long it is (0: up to the source's end). */
static bool clone_range(const struct tracee *tracee, uint64_t *at, uint64_t *size)
{
    const struct call *call = &tracee->call;
    struct file_clone_range range = {.src_fd = (int64_t)call->args[2]};
    if ((uint32_t)call->args[1] == FICLONERANGE &&
        !memory_read_all(tracee->tid, call->args[2], &range, sizeof range))
        return false;
    *at = range.dest_offset;
    *size = range.src_length;
    if (*size > 0)
        return true;
    struct stat facts;
    int fd OWN(own_fd) = files_reopen(tracee->tid, (int)range.src_fd);
    if (fd == -1 || fstat(fd, &facts) == -1 || (uint64_t)facts.st_size < range.src_offset)
        return false;
    *size = (uint64_t)facts.st_size - range.src_offset;
    return true;
}

static enum call_next enter_file(struct recorder *recorder, struct tracee *tracee,
                                 const struct shape *shape, const struct file *to)
{
    struct call *call = &tracee->call;
    call->op = emit_start(tracee, OP_WRITE);
    call->op.node = to->node;
    call->op.path = nodes_path(&recorder->nodes, to->node);
    call->op.offset = offset_of(tracee, shape->to_offset, to);
    if ((to->flags & O_SYNC) == O_SYNC) {
        call->op.flags |= OP_FSYNC;
    } else if ((to->flags & O_DSYNC) != 0) {
        call->op.flags |= OP_DSYNC;
    }
    if (call->nr == SYS_ioctl && !clone_range(tracee, &call->op.offset, &call->op.size))
        return CALL_FREE;
    return CALL_SERIAL;
}

/* Out of the worker's sight: only from a file are the bytes known. */
static enum call_next enter_outside(struct recorder *recorder, struct tracee *tracee,
                                    const struct shape *shape, const struct file *to,
                                    struct err *err)
{
    struct call *call = &tracee->call;
    struct file from;
    if (shape->from == -1 ||
        !files_get(recorder->files, tracee->tid, (int)call->args[shape->from], &from))
        return CALL_FREE;
    if (to->kind == FILE_SOCKET &&
        !sockets_are_outside(recorder, tracee, (int)call->args[shape->to], to, &call->op))
        return CALL_FREE;
    if (!S_ISREG(from.mode) && !S_ISBLK(from.mode))
        return refuse(recorder, tracee, err);
    if (to->kind != FILE_SOCKET) {
        call->op = emit_start(tracee, OP_OUTPUT);
        call->op.path = to->path;
        call->op.flags = to->is_acked ? OP_ACKED : 0;
    }
    call->got = offset_of(tracee, shape->from_offset, &from); /* where to read from */
    return CALL_FOLLOWED;
}

/* vmsplice: the worker's memory becomes the content of a pipe. */
static enum call_next enter_memory(struct recorder *recorder, struct tracee *tracee,
                                   const struct file *to, struct err *err)
{
    struct call *call = &tracee->call;
    struct memory_vectors from;
    struct memory_piece piece;
    if (to->kind != FILE_OUTSIDE || !file_is_writable(to) ||
        !memory_vectors(tracee->tid, call->args[1], call->args[2], &from))
        return CALL_FREE;
    if (!memory_payload(tracee->tid, &from, recorder->writer, &piece, err))
        return CALL_FAILED;
    call->op = emit_start(tracee, OP_OUTPUT);
    call->op.path = to->path;
    call->op.flags = to->is_acked ? OP_ACKED : 0;
    call->op.payload = piece.at;
    call->got = piece.got;
    return CALL_FOLLOWED;
}

enum call_next copy_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct call *call = &tracee->call;
    const struct shape *shape = shape_of(call->nr);
    struct file to, from;
    const int to_argument = shape == NULL ? 0 : shape->to;
    if (!files_get(recorder->files, tracee->tid, (int)call->args[to_argument], &to))
        return CALL_FREE;
    if (shape == NULL)
        return enter_memory(recorder, tracee, &to, err);
    if (to.kind == FILE_NODE) {
        return S_ISREG(to.mode) && file_is_writable(&to) ? enter_file(recorder, tracee, shape, &to)
                                                         : CALL_FREE;
    }
    if (to.kind != FILE_NOTHING)
        return enter_outside(recorder, tracee, shape, &to, err);
    struct op ignored;
    const bool is_received =
        call->nr == SYS_splice &&
        files_get(recorder->files, tracee->tid, (int)call->args[0], &from) &&
        from.kind == FILE_SOCKET &&
        sockets_are_outside(recorder, tracee, (int)call->args[0], &from, &ignored);
    return is_received ? refuse(recorder, tracee, err) : CALL_FREE;
}

/* Bytes [offset, offset + size) of a file that the worker has open become payload. */
static bool read_back(struct recorder *recorder, int fd, uint64_t offset, struct op *op,
                      struct err *err)
{
    uint64_t left = op->payload_size;
    op->payload = recorder->writer->trace->payload_size;
    while (left > 0) {
        const size_t piece = left < PIECE_MAX ? (size_t)left : PIECE_MAX;
        uint64_t at;
        void *room = trace_writer_room(recorder->writer, piece, &at, err);
        if (room == NULL)
            return false;
        const ssize_t got = pread(fd, room, piece, (off_t)offset);
        if (got < 0)
            return err_system(err, "read back what the kernel copied");
        if (got == 0)
            return err_usage(err, "read back what the kernel copied: the file is too short");
        trace_writer_shrink(recorder->writer, piece - (size_t)got);
        left -= (uint64_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

bool copy_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    struct op *op = &call->op;
    const struct shape *shape = shape_of(call->nr);
    if (call->nr == SYS_ioctl && result == 0)
        result = (long)op->size;
    if (result <= 0)
        return true;
    op->size = op->payload_size = (uint64_t)result;
    if (shape == NULL) {
        emit(recorder, op);
        return true;
    }
    const bool is_file = op->kind == OP_WRITE;
    const int argument = is_file ? shape->to : shape->from;
    int fd OWN(own_fd) = files_reopen(tracee->tid, (int)call->args[argument]);
    if (fd == -1) {
        return err_system(err, "open %s to read back what the kernel copied",
                          trace_string(recorder->writer->trace, op->path));
    }
    if (!read_back(recorder, fd, is_file ? op->offset : call->got, op, err))
        return false;
    emit(recorder, op);
    if (is_file)
        mapped_written(recorder->mapped, op->node, op->offset, op->size);
    return true;
}
