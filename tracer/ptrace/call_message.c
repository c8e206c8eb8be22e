/* What is sent to the outside and received from there. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"

/* One message of a call: its buffers and the address that goes with it. */
struct message {
    struct memory_vectors buffers;
    struct address address;
};

static bool read_header(const struct tracee *tracee, uint64_t at, struct message *out)
{
    struct msghdr header;
    if (!memory_read_all(tracee->tid, at, &header, sizeof header) ||
        !memory_vectors(tracee->tid, (uint64_t)(uintptr_t)header.msg_iov, header.msg_iovlen,
                        &out->buffers))
        return false;
    const socklen_t size = header.msg_name == NULL ? 0 : header.msg_namelen;
    if (size > 0 && size <= sizeof out->address.storage &&
        memory_read_all(tracee->tid, (uint64_t)(uintptr_t)header.msg_name, &out->address.storage,
                        size))
        out->address.size = size;
    return true;
}

/* recvfrom has its address's size in memory, sendto in a register. */
static void read_address(const struct tracee *tracee, struct address *out)
{
    const struct call *call = &tracee->call;
    socklen_t size = (socklen_t)call->args[5];
    if (call->args[4] == 0)
        return;
    if (call->nr == SYS_recvfrom &&
        !memory_read_all(tracee->tid, call->args[5], &size, sizeof size))
        return;
    if (size <= sizeof out->storage &&
        memory_read_all(tracee->tid, call->args[4], &out->storage, size))
        out->size = size;
}

static bool is_many(long nr)
{
    return nr == SYS_sendmmsg || nr == SYS_recvmmsg;
}

/* index: which of several; 0 for calls with one. */
static bool read_message(const struct tracee *tracee, unsigned index, struct message *out)
{
    const struct call *call = &tracee->call;
    out->address = (struct address){0};
    switch (call->nr) {
    case SYS_sendmsg:
    case SYS_recvmsg:
        return read_header(tracee, call->args[1], out);
    case SYS_sendmmsg:
    case SYS_recvmmsg:
        return read_header(tracee, call->args[1] + index * sizeof(struct mmsghdr), out);
    case SYS_writev:
    case SYS_readv:
    case SYS_pwritev2:
    case SYS_preadv2:
        return memory_vectors(tracee->tid, call->args[1], call->args[2], &out->buffers);
    case SYS_sendto:
    case SYS_recvfrom:
        read_address(tracee, &out->address);
        break;
    default:
        break;
    }
    memory_one(&out->buffers, call->args[1], call->args[2]);
    return true;
}

/* The connection of the call's descriptor; NULL when it is none that may lead outside. */
static struct connection *find(struct recorder *recorder, const struct tracee *tracee)
{
    const int fd = (int)tracee->call.args[0];
    struct file file;
    if (!files_get(recorder->files, tracee->tid, fd, &file) || file.kind != FILE_SOCKET)
        return NULL;
    struct connection *connection = sockets_get(recorder, tracee, fd, &file);
    if (connection == NULL || (connection->is_connected && !connection->is_outside))
        return NULL;
    return connection;
}

/* Whether a message stays inside: one without a connection goes by its address. */
static bool is_inside(const struct recorder *recorder, const struct connection *connection,
                      const struct message *message)
{
    if (connection->is_connected && message->address.size == 0)
        return !connection->is_outside;
    if (message->address.size == 0)
        return connection->family == AF_UNIX;
    return sockets_is_own(recorder, connection, &message->address);
}

static struct op begin(struct recorder *recorder, const struct tracee *tracee, enum op_kind kind,
                       struct connection *connection, const struct message *message)
{
    const struct address *peer = message->address.size > 0 ? &message->address : NULL;
    return sockets_op(recorder, tracee, kind, connection, peer);
}

static uint64_t flags_of(const struct call *call)
{
    return call->handler->extra == -1 || call->handler->path != 0 || call->nr == SYS_pwritev2
               ? 0
               : call->args[call->handler->extra];
}

enum call_next send_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct call *call = &tracee->call;
    struct message message;
    struct connection *connection = find(recorder, tracee);
    if (connection == NULL)
        return CALL_FREE;
    if (is_many(call->nr)) { /* how many are sent is known at the exit */
        call->op = emit_start(tracee, OP_SEND);
        return CALL_FOLLOWED;
    }
    if (!read_message(tracee, 0, &message) || is_inside(recorder, connection, &message))
        return CALL_FREE;
    struct memory_piece piece;
    call->op = begin(recorder, tracee, OP_SEND, connection, &message);
    if (!memory_payload(tracee->tid, &message.buffers, recorder->writer, &piece, err))
        return CALL_FAILED;
    call->op.payload = piece.at;
    call->got = piece.got;
    return CALL_FOLLOWED;
}

/* A message of which `size` bytes have been sent or received, as an op. */
static bool tell(struct recorder *recorder, struct tracee *tracee, unsigned index, uint64_t size,
                 struct err *err)
{
    struct message message;
    struct connection *connection = find(recorder, tracee);
    const enum op_kind kind = (enum op_kind)tracee->call.op.kind;
    if (connection == NULL || !read_message(tracee, index, &message) ||
        is_inside(recorder, connection, &message))
        return true;
    struct op op = begin(recorder, tracee, kind, connection, &message);
    struct memory_piece piece;
    if (message.buffers.size > size) {
        message.buffers.size = size;
    }
    if (!memory_payload(tracee->tid, &message.buffers, recorder->writer, &piece, err))
        return false;
    op.payload = piece.at;
    op.size = op.payload_size = piece.got;
    emit(recorder, &op);
    return true;
}

/* Each message of sendmmsg and recvmmsg, with the size that the kernel has put beside it. */
static bool tell_many(struct recorder *recorder, struct tracee *tracee, unsigned count,
                      struct err *err)
{
    const uint64_t array = tracee->call.args[1];
    struct trace *trace = recorder->writer->trace;
    for (unsigned i = 0; i < count; i++) {
        struct mmsghdr header;
        const uint32_t before = trace->count;
        if (!memory_read_all(tracee->tid, array + i * sizeof header, &header, sizeof header)) {
            return err_usage(err, "the messages of %s could not be read",
                             op_call_name(&tracee->call.op));
        }
        if (!tell(recorder, tracee, i, header.msg_len, err))
            return false;
        if (trace->count > before && i + 1 < count)
            trace->ops[before].flags |= OP_MORE;
    }
    if (trace->count > 0)
        trace->ops[trace->count - 1].flags &= (uint16_t)~OP_MORE;
    return true;
}

bool send_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    if (result < 0)
        return true;
    if (is_many(call->nr))
        return tell_many(recorder, tracee, (unsigned)result, err);
    if ((uint64_t)result > call->got) {
        return err_usage(err, "what was sent to %s could not be read from the worker's memory",
                         trace_string(recorder->writer->trace, call->op.path));
    }
    call->op.size = call->op.payload_size = (uint64_t)result;
    emit(recorder, &call->op);
    return true;
}

enum call_next receive_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    if ((flags_of(call) & (MSG_PEEK | MSG_ERRQUEUE)) != 0)
        return CALL_FREE;
    struct connection *connection = find(recorder, tracee);
    if (connection == NULL || (connection->family == AF_UNIX && !connection->is_connected))
        return CALL_FREE;
    call->op = emit_start(tracee, OP_RECEIVE);
    return CALL_FOLLOWED;
}

/* A read of nothing from a stream is the peer's end; it is told once. */
static void tell_end(struct recorder *recorder, struct tracee *tracee)
{
    struct message message;
    struct connection *connection = find(recorder, tracee);
    if (connection == NULL || connection->type != SOCK_STREAM || connection->has_ended ||
        !connection->is_connected || !read_message(tracee, 0, &message) ||
        message.buffers.size == 0)
        return;
    connection->has_ended = true;
    struct op op = sockets_op(recorder, tracee, OP_RECEIVE, connection, NULL);
    emit(recorder, &op);
}

bool receive_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    if (result < 0)
        return true;
    if (is_many(tracee->call.nr))
        return tell_many(recorder, tracee, (unsigned)result, err);
    if (result > 0)
        return tell(recorder, tracee, 0, (uint64_t)result, err);
    tell_end(recorder, tracee);
    return true;
}
