/* How sockets come, are connected, and go. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "calls.h"
#include "emit.h"
#include "filter.h"
#include "locks.h"
#include "place.h"
#include "tracer/base/own.h"

enum call_next socket_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)err;
    const struct call *call = &tracee->call;
    const bool makes = call->nr == SYS_socket || call->nr == SYS_socketpair;
    const int family = (int)call->args[0];
    if (makes && family != AF_UNIX && family != AF_INET && family != AF_INET6)
        return CALL_FREE;
    return CALL_FOLLOWED;
}

/* From its first socket on, a process's reads and closes are looked at. */
static bool watch_reads(struct tracee *tracee, struct err *err)
{
    struct process *process = tracee->process;
    if ((process->filters & FILTER_SOCKETS) != 0)
        return true;
    if (!filter_inject(FILTER_SOCKETS, tracee->tid, err))
        return false;
    process->filters |= FILTER_SOCKETS;
    return true;
}

static void tell_connection(struct recorder *recorder, struct tracee *tracee,
                            struct connection *connection)
{
    if (!connection->is_outside)
        return;
    struct op op = sockets_op(recorder, tracee, OP_CONNECT, connection, NULL);
    emit(recorder, &op);
}

bool socket_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    const struct call *call = &tracee->call;
    struct file file;
    if (result < 0)
        return true;
    if (!watch_reads(tracee, err))
        return false;
    if (call->nr != SYS_accept && call->nr != SYS_accept4)
        return true;
    struct connection *connection = NULL;
    if (files_get(recorder->files, tracee->tid, (int)result, &file))
        connection = sockets_get(recorder, tracee, (int)result, &file);
    if (connection != NULL)
        tell_connection(recorder, tracee, connection);
    return true;
}

static bool read_address(const struct tracee *tracee, int argument, struct address *out)
{
    const uint64_t size = tracee->call.args[argument + 1];
    *out = (struct address){0};
    if (size > sizeof out->storage ||
        !memory_read_all(tracee->tid, tracee->call.args[argument], &out->storage, size))
        return false;
    out->size = (socklen_t)size;
    return size >= sizeof out->storage.ss_family;
}

enum call_next connect_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    const struct call *call = &tracee->call;
    struct file file;
    struct address peer;
    if (!read_address(tracee, 1, &peer) || peer.storage.ss_family == AF_UNSPEC ||
        !files_get(recorder->files, tracee->tid, (int)call->args[0], &file) ||
        file.kind != FILE_SOCKET)
        return CALL_FREE;
    return CALL_FOLLOWED;
}

bool connect_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)err;
    const int fd = (int)tracee->call.args[0];
    struct file file;
    struct address peer;
    if ((result < 0 && result != -EINPROGRESS) || !read_address(tracee, 1, &peer) ||
        !files_get(recorder->files, tracee->tid, fd, &file))
        return true;
    struct connection *connection = sockets_get(recorder, tracee, fd, &file);
    if (connection == NULL || connection->is_told)
        return true; /* asked again for a connection under way */
    sockets_connected(recorder, tracee, fd, connection, &peer);
    tell_connection(recorder, tracee, connection);
    return true;
}

/* Binding a unix socket to a path makes a name. */
static bool find_name(struct recorder *recorder, struct tracee *tracee)
{
    struct call *call = &tracee->call;
    struct address address;
    struct sockaddr_un name;
    if (call->nr != SYS_bind || !read_address(tracee, 1, &address) ||
        address.storage.ss_family != AF_UNIX)
        return false;
    memcpy(&name, &address.storage, sizeof name);
    char path[sizeof name.sun_path + 1] = "";
    memcpy(path, name.sun_path,
           address.size - sizeof name.sun_family < sizeof name.sun_path
               ? address.size - sizeof name.sun_family
               : sizeof name.sun_path);
    const struct walk_who who = place_who(tracee, -1);
    return path[0] != '\0' && place_find(recorder, &who, path, &call->from) &&
           call->from.dir != NODE_NONE && call->from.node == NODE_NONE;
}

enum call_next bind_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    call->existed = !find_name(recorder, tracee);
    return call->existed ? CALL_FOLLOWED : CALL_SERIAL;
}

bool bind_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    if (result < 0)
        return true;
    if (!call->existed)
        return make_leave(recorder, tracee, result, err);
    sockets_learn_local(recorder, tracee, (int)call->args[0]);
    return true;
}

enum call_next shutdown_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    struct file file;
    if (!files_get(recorder->files, tracee->tid, (int)call->args[0], &file) ||
        file.kind != FILE_SOCKET)
        return CALL_FREE;
    struct connection *connection = sockets_get(recorder, tracee, (int)call->args[0], &file);
    if (connection == NULL || !connection->is_outside)
        return CALL_FREE;
    call->op = sockets_op(recorder, tracee, OP_SHUTDOWN, connection, NULL);
    call->op.call_flags = (uint32_t)call->args[1];
    return CALL_FOLLOWED;
}

bool shutdown_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)err;
    if (result == 0)
        emit(recorder, &tracee->call.op);
    return true;
}

/* Only the last close of a connection is told, so all that is wanted here is to look again. */
enum call_next close_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    const struct call *call = &tracee->call;
    const int8_t argument = call->handler->path;
    struct file file;
    if (argument == -1)
        return CALL_FOLLOWED; /* a range of descriptors */
    if (!files_get(recorder->files, tracee->tid, (int)call->args[argument], &file))
        return CALL_FREE;
    if (file.kind == FILE_NODE && recorder->locks != NULL &&
        locks_has(recorder, tracee->process, file.node))
        return CALL_FOLLOWED;
    if (file.kind != FILE_SOCKET)
        return CALL_FREE;
    const struct connection *connection =
        sockets_get(recorder, tracee, (int)call->args[argument], &file);
    return connection != NULL && connection->is_outside ? CALL_FOLLOWED : CALL_FREE;
}

bool close_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)result; /* a close that reports an error has closed all the same */
    (void)err;
    locks_look(recorder, tracee->process, tracee->call.nr);
    sockets_sweep(recorder, tracee);
    return true;
}
