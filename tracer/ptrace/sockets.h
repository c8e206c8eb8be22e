/* sockets.h - the worker's connections, and which of them lead outside.
 *
 * A socket is known by its inode, which dup, fork and passing it on do not change. What it is
 * connected to is asked of the kernel, on a duplicate of the worker's descriptor. A connection is
 * inside when both ends belong to processes of the worker: for unix sockets the kernel names the
 * peer's process; for internet sockets the peer's address is one that a socket of the worker had.
 */
#ifndef PTRACE_SOCKETS_H
#define PTRACE_SOCKETS_H

#include "address.h"
#include "files.h"

struct recorder;
struct tracee;

struct connection {
    uint64_t ino;
    uint32_t node; /* number in the trace; 0: none needed so far */
    int family, type;
    bool is_connected;
    bool is_outside; /* as far as the peer is known */
    bool is_told;    /* an op on it has been written */
    bool has_ended;  /* the peer has sent its end */
    bool is_shut;
    struct address peer;
};

struct sockets;

struct sockets *sockets_new(struct trace_writer *writer);
void sockets_free(struct sockets *sockets);

/* The connection of a thread's descriptor that is a socket; NULL when it cannot be looked at. */
struct connection *sockets_get(struct recorder *recorder, const struct tracee *tracee, int fd,
                               const struct file *file);

/* The thread has connected it to this address. */
void sockets_connected(struct recorder *recorder, const struct tracee *tracee, int fd,
                       struct connection *connection, const struct address *peer);

/* The socket has a local address now (bind, listen, connect, accept): one of the worker's own. */
void sockets_learn_local(struct recorder *recorder, const struct tracee *tracee, int fd);

/* Whether a datagram to or from this address stays inside. */
bool sockets_is_own(const struct recorder *recorder, const struct connection *connection,
                    const struct address *peer);

/* Begins an op on the connection, with its number and the peer's text (peer NULL: its own). */
struct op sockets_op(struct recorder *recorder, const struct tracee *tracee, enum op_kind kind,
                     struct connection *connection, const struct address *peer);

/* Whether a socket leads outside; *op is then begun as a send on it. */
bool sockets_are_outside(struct recorder *recorder, const struct tracee *tracee, int fd,
                         const struct file *file, struct op *op);

/* Connections to the outside that no process holds any more: writes their ends. */
void sockets_sweep(struct recorder *recorder, const struct tracee *tracee);

#endif
