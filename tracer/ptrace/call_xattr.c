/* Extended attributes: set and removed, by path and by descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "calls.h"
#include "emit.h"
#include "place.h"
#include "tracer/base/own.h"

enum { NR_SETXATTRAT = 463, NR_REMOVEXATTRAT = 466, NAME_SIZE = 256, VALUE_MAX = 65536 };

/* What setxattrat has in place of two arguments (Linux 6.13, struct xattr_args). */
struct value_args {
    uint64_t value;
    uint32_t size;
    uint32_t flags;
};

static bool is_at(long nr)
{
    return nr == NR_SETXATTRAT || nr == NR_REMOVEXATTRAT;
}

static bool is_set(long nr)
{
    return nr == SYS_setxattr || nr == SYS_lsetxattr || nr == SYS_fsetxattr || nr == NR_SETXATTRAT;
}

static bool wants_follow(const struct call *call)
{
    if (is_at(call->nr))
        return (call->args[2] & AT_SYMLINK_NOFOLLOW) == 0;
    return call->nr != SYS_lsetxattr && call->nr != SYS_lremovexattr;
}

static int open_object(const struct tracee *tracee)
{
    const struct call *call = &tracee->call;
    char path[PATH_MAX] = "";
    const struct walk_who who = place_who(tracee, call->handler->dirfd);
    if (call->handler->path != -1 && !place_path(tracee, call->handler->path, path))
        return -1;
    if (path[0] == '\0' && call->handler->dirfd == -1)
        return -1;
    return walk_open(&who, path, wants_follow(call));
}

static bool value_of(const struct tracee *tracee, struct value_args *out)
{
    const struct call *call = &tracee->call;
    if (is_at(call->nr))
        return memory_read_all(tracee->tid, call->args[4], out, sizeof *out);
    *out = (struct value_args){.value = call->args[2], .size = (uint32_t)call->args[3]};
    return true;
}

static bool take_value(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct call *call = &tracee->call;
    struct value_args value;
    struct memory_piece piece;
    struct memory_vectors from;
    if (!value_of(tracee, &value) || value.size > VALUE_MAX)
        return true; /* the kernel refuses it too */
    memory_one(&from, value.value, value.size);
    if (!memory_payload(tracee->tid, &from, recorder->writer, &piece, err))
        return false;
    call->op.payload = piece.at;
    call->op.payload_size = call->op.size = piece.got;
    return true;
}

enum call_next xattr_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct call *call = &tracee->call;
    char name[NAME_SIZE];
    call->fd = open_object(tracee);
    if (call->fd == -1)
        return CALL_IGNORED;
    const uint32_t node = place_node_of(recorder, call->fd, NULL);
    if (node == NODE_NONE ||
        !memory_string(tracee->tid, call->args[is_at(call->nr) ? 3 : 1], name, sizeof name))
        return CALL_IGNORED;
    call->op = emit_start(tracee, is_set(call->nr) ? OP_SETXATTR : OP_REMOVEXATTR);
    call->op.node = node;
    call->op.path = nodes_path(&recorder->nodes, node);
    call->op.name = strings_add(&recorder->writer->trace->strings, name);
    if (is_set(call->nr) && !take_value(recorder, tracee, err))
        return CALL_FAILED;
    return CALL_SERIAL;
}

bool xattr_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    struct stat facts;
    if (result < 0)
        return true;
    emit(recorder, &call->op);
    if (fstat(call->fd, &facts) == 0) /* an access list changes the permission bits as well */
        emit_mode_if_changed(recorder, tracee, call->op.node, facts.st_mode);
    return true;
}
