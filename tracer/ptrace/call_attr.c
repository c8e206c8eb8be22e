/* Sizes, permission bits, owners, times. What the kernel made of the request is read from the
 * object afterwards: it masks bits, fills in the current time, and clears set-id bits. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"
#include "place.h"
#include "tracer/base/clock.h"
#include "tracer/base/own.h"

enum { NR_FCHMODAT2 = 452 };

/* Opens the object of the call into call->fd, for the exit; gives its node. */
static uint32_t open_object(const struct recorder *recorder, struct tracee *tracee, bool has_path,
                            bool wants_follow)
{
    struct call *call = &tracee->call;
    char path[PATH_MAX] = "";
    const struct walk_who who = place_who(tracee, call->handler->dirfd);
    if (has_path && !place_path(tracee, call->handler->path, path))
        return NODE_NONE;
    if (path[0] == '\0' && call->handler->dirfd == -1)
        return NODE_NONE;
    call->fd = walk_open(&who, path, wants_follow);
    return call->fd == -1 ? NODE_NONE : place_node_of(recorder, call->fd, NULL);
}

enum call_next size_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    struct file file = {.kind = FILE_NOTHING};
    uint32_t node = NODE_NONE;
    if (call->nr == SYS_truncate) {
        node = open_object(recorder, tracee, true, true);
    } else if (files_get(recorder->files, tracee->tid, (int)call->args[0], &file) &&
               file.kind == FILE_NODE && file_is_writable(&file)) {
        node = file.node;
    }
    if (node == NODE_NONE)
        return CALL_IGNORED;
    call->op = emit_start(tracee, call->nr == SYS_fallocate ? OP_ALLOCATE : OP_TRUNCATE);
    call->op.node = node;
    call->op.path = nodes_path(&recorder->nodes, node);
    call->op.size = call->args[1];
    if (call->nr == SYS_fallocate) {
        call->op.mode = (uint32_t)call->args[1];
        call->op.call_flags = (uint32_t)call->args[1];
        call->op.offset = call->args[2];
        call->op.size = call->args[3];
    }
    return CALL_SERIAL;
}

/* The object of a call, on its descriptor or still open from the entry. */
static bool stat_object(const struct tracee *tracee, struct stat *facts)
{
    const struct call *call = &tracee->call;
    if (call->fd != -1)
        return fstat(call->fd, facts) == 0;
    const struct walk_who who = place_who(tracee, 0);
    int fd OWN(own_fd) = walk_open(&who, "", false);
    return fd != -1 && fstat(fd, facts) == 0;
}

bool size_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    struct stat facts;
    if (result < 0)
        return true;
    if (!stat_object(tracee, &facts)) {
        return err_system(err, "look at %s after %s",
                          trace_string(recorder->writer->trace, call->op.path),
                          op_call_name(&call->op));
    }
    emit(recorder, &call->op);
    nodes_facts(&recorder->nodes, call->op.node)->size = (uint64_t)facts.st_size;
    mapped_written(recorder->mapped, call->op.node, call->op.offset, call->op.size);
    emit_mode_if_changed(recorder, tracee, call->op.node, facts.st_mode);
    return true;
}

static bool is_chmod(long nr)
{
    return nr == SYS_chmod || nr == SYS_fchmod || nr == SYS_fchmodat || nr == NR_FCHMODAT2;
}

static bool is_chown(long nr)
{
    return nr == SYS_chown || nr == SYS_lchown || nr == SYS_fchown || nr == SYS_fchownat;
}

static bool wants_follow(const struct call *call)
{
    if (call->nr == SYS_lchown)
        return false;
    return call->handler->extra == -1 ||
           (call->args[call->handler->extra] & AT_SYMLINK_NOFOLLOW) == 0;
}

/* utimensat and futimesat with no path mean the descriptor. */
static bool has_path(const struct call *call)
{
    if (call->handler->path == -1)
        return false;
    return !((call->nr == SYS_utimensat || call->nr == SYS_futimesat) && call->args[1] == 0);
}

enum call_next attr_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    const uint32_t node = open_object(recorder, tracee, has_path(call), wants_follow(call));
    if (node == NODE_NONE)
        return CALL_IGNORED;
    const enum op_kind kind = is_chmod(call->nr)   ? OP_CHMOD
                              : is_chown(call->nr) ? OP_CHOWN
                                                   : OP_TIMES;
    call->op = emit_start(tracee, kind);
    call->op.node = node;
    call->op.path = nodes_path(&recorder->nodes, node);
    return CALL_SERIAL;
}

/* Owner and group as asked for; -1 leaves them. */
static void set_owner(const struct call *call, struct op *op)
{
    const int first = call->nr == SYS_fchownat ? 2 : 1;
    op->uid = (uint32_t)call->args[first];
    op->gid = (uint32_t)call->args[first + 1];
}

static uint64_t ns_of(struct timespec time)
{
    return (uint64_t)(time.tv_sec * CLOCK_SECOND + time.tv_nsec);
}

/* The times as they are now, but for those that the worker asked to leave alone. */
static void set_times(const struct tracee *tracee, const struct stat *facts, struct op *op)
{
    const struct call *call = &tracee->call;
    struct timespec asked[2] = {{0}};
    op->offset = ns_of(facts->st_atim);
    op->size = ns_of(facts->st_mtim);
    if (call->nr != SYS_utimensat || call->args[2] == 0 ||
        !memory_read_all(tracee->tid, call->args[2], asked, sizeof asked))
        return;
    if (asked[0].tv_nsec == UTIME_OMIT)
        op->offset = UINT64_MAX;
    if (asked[1].tv_nsec == UTIME_OMIT)
        op->size = UINT64_MAX;
}

bool attr_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    struct stat facts;
    if (result < 0)
        return true;
    if (fstat(call->fd, &facts) == -1) {
        return err_system(err, "look at %s after %s",
                          trace_string(recorder->writer->trace, call->op.path),
                          op_call_name(&call->op));
    }
    if (call->op.kind == OP_CHMOD) {
        call->op.mode = facts.st_mode & 07777;
    } else if (call->op.kind == OP_CHOWN) {
        set_owner(call, &call->op);
    } else {
        set_times(tracee, &facts, &call->op);
    }
    emit(recorder, &call->op);
    emit_mode_if_changed(recorder, tracee, call->op.node, facts.st_mode);
    return true;
}
