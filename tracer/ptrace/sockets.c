#include "sockets.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "emit.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

struct sockets {
    struct trace_writer *writer;
    struct map by_ino;      /* to struct connection * */
    struct map local_ports; /* type << 16 | port, of sockets of the worker */
    uint32_t open_outside;  /* connections to the outside that are not shut */
};

struct sockets *sockets_new(struct trace_writer *writer)
{
    struct sockets *sockets = mem_new(1, sizeof *sockets);
    sockets->writer = writer;
    return sockets;
}

static struct connection *connection_of(uint64_t value)
{
    return (void *)(uintptr_t)value; /* NOLINT(performance-no-int-to-ptr): a map of numbers */
}

void sockets_free(struct sockets *sockets)
{
    size_t at = 0;
    uint64_t key, value;
    if (sockets == NULL)
        return;
    while (map_next(&sockets->by_ino, &at, &key, &value))
        free(connection_of(value));
    map_fini(&sockets->by_ino);
    map_fini(&sockets->local_ports);
    free(sockets);
}

/* A duplicate of the worker's socket, to be asked questions; -1 when it is gone. */
static int duplicate(const struct tracee *tracee, int fd)
{
    int process OWN(own_fd) = (int)syscall(SYS_pidfd_open, tracee->process->pid, 0);
    return process == -1 ? -1 : (int)syscall(SYS_pidfd_getfd, process, fd, 0);
}

static uint64_t port_key(int type, uint16_t port)
{
    return (uint64_t)type << 16 | port;
}

static void learn_local(struct sockets *sockets, int fd)
{
    struct address local = {.size = sizeof local.storage};
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockname(fd, (struct sockaddr *)&local.storage, &local.size) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && address_port(&local) != 0)
        map_put(&sockets->local_ports, port_key(type, address_port(&local)), 1);
}

void sockets_learn_local(struct recorder *recorder, const struct tracee *tracee, int fd)
{
    int ours OWN(own_fd) = duplicate(tracee, fd);
    if (ours != -1)
        learn_local(recorder->sockets, ours);
}

static bool is_worker_process(const struct recorder *recorder, pid_t pid)
{
    const struct trace *trace = recorder->writer->trace;
    for (uint32_t i = 0; i < trace->threads_count; i++) {
        if (trace->threads[i].pid == (uint32_t)pid)
            return true;
    }
    return false;
}

/* A listener may have been given its port by a process that is gone, and a peer may not have come
 * back from its connect yet: threads inside connect are asked for their ports first. */
static void learn_connecting(struct recorder *recorder)
{
    size_t at = 0;
    uint64_t key, value;
    while (map_next(&recorder->tracees.by_tid, &at, &key, &value)) {
        const struct tracee *tracee = tracees_find(&recorder->tracees, (pid_t)key);
        if (tracee->is_in_call && tracee->call.nr == SYS_connect)
            sockets_learn_local(recorder, tracee, (int)tracee->call.args[0]);
    }
}

bool sockets_is_own(const struct recorder *recorder, const struct connection *connection,
                    const struct address *peer)
{
    return address_is_internet(peer) &&
           map_get(&recorder->sockets->local_ports, port_key(connection->type, address_port(peer)),
                   NULL);
}

/* fd: our duplicate. */
static bool is_inside(struct recorder *recorder, const struct connection *connection, int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (connection->family == AF_UNIX) {
        return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
               is_worker_process(recorder, peer.pid);
    }
    struct address local = {.size = sizeof local.storage};
    if (getsockname(fd, (struct sockaddr *)&local.storage, &local.size) == -1)
        return false;
    if (!address_is_loopback(&connection->peer) && !address_is_same_host(&connection->peer, &local))
        return false;
    learn_connecting(recorder);
    return sockets_is_own(recorder, connection, &connection->peer);
}

static void set_peer(struct recorder *recorder, struct connection *connection, int fd)
{
    const bool was_outside = connection->is_outside;
    connection->is_connected = true;
    connection->is_outside = !is_inside(recorder, connection, fd);
    if (connection->is_outside && !was_outside)
        recorder->sockets->open_outside++;
    learn_local(recorder->sockets, fd);
}

static void ask(struct recorder *recorder, struct connection *connection, int fd)
{
    socklen_t size = sizeof connection->family;
    struct address peer = {.size = sizeof peer.storage};
    getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &connection->family, &size);
    size = sizeof connection->type;
    getsockopt(fd, SOL_SOCKET, SO_TYPE, &connection->type, &size);
    if (connection->family != AF_UNIX && connection->family != AF_INET &&
        connection->family != AF_INET6)
        return; /* netlink and the like lead to the kernel, not outside */
    if (getpeername(fd, (struct sockaddr *)&peer.storage, &peer.size) == -1)
        return;
    connection->peer = peer;
    set_peer(recorder, connection, fd);
}

struct connection *sockets_get(struct recorder *recorder, const struct tracee *tracee, int fd,
                               const struct file *file)
{
    struct sockets *sockets = recorder->sockets;
    struct connection *connection;
    uint64_t value;
    if (map_get(&sockets->by_ino, file->ino, &value)) {
        connection = connection_of(value);
        if (connection->is_connected)
            return connection;
    } else {
        connection = mem_new(1, sizeof *connection);
        connection->ino = file->ino;
        map_put(&sockets->by_ino, file->ino, (uint64_t)(uintptr_t)connection);
    }
    int ours OWN(own_fd) = duplicate(tracee, fd);
    if (ours == -1)
        return NULL;
    ask(recorder, connection, ours);
    return connection;
}

void sockets_connected(struct recorder *recorder, const struct tracee *tracee, int fd,
                       struct connection *connection, const struct address *peer)
{
    int ours OWN(own_fd) = duplicate(tracee, fd);
    if (ours == -1)
        return;
    connection->peer = *peer;
    set_peer(recorder, connection, ours);
}

struct op sockets_op(struct recorder *recorder, const struct tracee *tracee, enum op_kind kind,
                     struct connection *connection, const struct address *peer)
{
    struct op op = emit_start(tracee, kind);
    if (connection->node == NODE_NONE)
        connection->node = trace_writer_node(recorder->writer);
    char *text OWN(own_mem) =
        address_text(peer == NULL ? &connection->peer : peer, connection->type);
    connection->is_told = true;
    op.node = connection->node;
    op.path = strings_add(&recorder->writer->trace->strings, text);
    return op;
}

bool sockets_are_outside(struct recorder *recorder, const struct tracee *tracee, int fd,
                         const struct file *file, struct op *op)
{
    struct connection *connection = sockets_get(recorder, tracee, fd, file);
    if (connection == NULL || !connection->is_outside)
        return false;
    *op = sockets_op(recorder, tracee, OP_SEND, connection, NULL);
    return true;
}

/* Adds the inodes of all sockets that a process has open. */
static void add_held(pid_t pid, struct map *held)
{
    char path[64], text[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    DIR *dir = opendir(path);
    for (struct dirent *entry = dir == NULL ? NULL : readdir(dir); entry != NULL;
         entry = readdir(dir)) {
        const ssize_t size = readlinkat(dirfd(dir), entry->d_name, text, sizeof text - 1);
        text[size < 0 ? 0 : size] = '\0';
        if (strncmp(text, "socket:[", 8) == 0)
            map_put(held, strtoull(text + 8, NULL, 10), 1);
    }
    if (dir != NULL)
        closedir(dir);
}

void sockets_sweep(struct recorder *recorder, const struct tracee *tracee)
{
    struct sockets *sockets = recorder->sockets;
    struct map held = {0};
    size_t at = 0;
    uint64_t key, value;
    if (sockets->open_outside == 0)
        return;
    while (map_next(&recorder->tracees.processes, &at, &key, &value))
        add_held((pid_t)key, &held);
    at = 0;
    while (map_next(&sockets->by_ino, &at, &key, &value)) {
        struct connection *connection = connection_of(value);
        if (!connection->is_outside || connection->is_shut || map_get(&held, key, NULL))
            continue;
        connection->is_shut = true;
        sockets->open_outside--;
        if (connection->is_told) {
            struct op op = sockets_op(recorder, tracee, OP_SHUTDOWN, connection, NULL);
            emit(recorder, &op);
        }
    }
    map_fini(&held);
}
