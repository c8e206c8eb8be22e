/* sockets.h - the worker's connections, and which of them lead outside. */
#ifndef PTRACE_SOCKETS_H
#define PTRACE_SOCKETS_H

#include "files.h"

struct recorder;
struct tracee;
struct sockets;

struct sockets *sockets_new(struct trace_writer *writer);
void sockets_free(struct sockets *sockets);

/* Whether a socket leads outside; *op is then begun as a send on it. */
bool sockets_are_outside(struct recorder *recorder, const struct tracee *tracee,
                         const struct file *file, struct op *op);

#endif
