#include "about.h"

#include <sys/syscall.h>

#include "emit.h"
#include "place.h"
#include "tracer/base/own.h"

static uint32_t name_of(struct recorder *recorder, const struct call_place *place)
{
    char *name OWN(own_mem) = place_name(recorder, place);
    return strings_add(&recorder->writer->trace->strings, name);
}

/* A name that is about to be made; of files outside no op is made. */
static void add_name(struct recorder *recorder, const struct call_place *place, struct op *op)
{
    if (place->walk.dir_fd == -1)
        return; /* it will have none */
    if (place->dir == NODE_NONE) {
        op->kind = OP_KIND_COUNT;
        return;
    }
    op->path = name_of(recorder, place);
}

/* The other end of the connection that the call's descriptor is. */
static void add_peer(struct recorder *recorder, const struct tracee *tracee, struct op *op)
{
    struct file file;
    const int fd = (int)tracee->call.args[0];
    if (!files_get(recorder->files, tracee->tid, fd, &file) || file.kind != FILE_SOCKET)
        return;
    const struct connection *connection = sockets_get(recorder, tracee, fd, &file);
    if (connection == NULL || !connection->is_connected)
        return;
    if (!connection->is_outside) {
        op->kind = OP_KIND_COUNT;
        return;
    }
    char *text OWN(own_mem) = address_text(&connection->peer, connection->type);
    op->node = connection->node;
    op->path = strings_add(&recorder->writer->trace->strings, text);
}

static struct op connection_op(struct recorder *recorder, const struct tracee *tracee)
{
    const struct call *call = &tracee->call;
    struct op op = emit_start(tracee, OP_CONNECT);
    struct address peer = {.size = (socklen_t)call->args[2]};
    struct file file;
    const int fd = (int)call->args[0];
    if (call->nr != SYS_connect || call->args[2] > sizeof peer.storage ||
        !memory_read_all(tracee->tid, call->args[1], &peer.storage, peer.size) ||
        !files_get(recorder->files, tracee->tid, fd, &file))
        return op;
    const struct connection *connection = sockets_get(recorder, tracee, fd, &file);
    if (connection == NULL || sockets_is_own(recorder, connection, &peer)) {
        op.kind = OP_KIND_COUNT;
        return op;
    }
    char *text OWN(own_mem) = address_text(&peer, connection->type);
    op.path = strings_add(&recorder->writer->trace->strings, text);
    return op;
}

static bool is_copied(const struct call *call)
{
    return call->nr == SYS_sendfile || call->nr == SYS_copy_file_range || call->nr == SYS_splice ||
           call->nr == SYS_tee || call->nr == SYS_ioctl;
}

struct op about_op(struct recorder *recorder, struct tracee *tracee)
{
    const struct call *call = &tracee->call;
    struct op op = call->op;
    if (call->nr == SYS_connect || call->nr == SYS_accept || call->nr == SYS_accept4)
        return connection_op(recorder, tracee);
    if (call->nr == SYS_bind && !call->existed)
        op = emit_start(tracee, OP_CREATE);
    if (op.kind == OP_CREATE && op.path == 0)
        add_name(recorder, &call->from, &op);
    if (op.kind == OP_LINK)
        add_name(recorder, &call->to, &op);
    if ((op.kind == OP_SEND || op.kind == OP_RECEIVE) && op.path == 0)
        add_peer(recorder, tracee, &op);
    if ((op.kind == OP_WRITE || op.kind == OP_OUTPUT || op.kind == OP_SEND) && !is_copied(call))
        op.payload_size = op.size = call->got;
    op.enter = recorder->writer->trace->count;
    op.stack = call->stack;
    return op;
}

uint64_t about_size(const struct tracee *tracee, const struct op *op)
{
    const struct call *call = &tracee->call;
    switch (call->nr) {
    case SYS_sendfile:
        return call->args[3];
    case SYS_copy_file_range:
    case SYS_splice:
        return call->args[4];
    case SYS_tee:
    case SYS_ioctl:
        return 0; /* pages of pipes, and clones that are done as a whole */
    default:
        return op->payload_size;
    }
}

int about_fd(const struct tracee *tracee)
{
    const struct call *call = &tracee->call;
    const bool is_third = call->nr == SYS_copy_file_range || call->nr == SYS_splice;
    return (int)call->args[is_third ? 2 : 0];
}
