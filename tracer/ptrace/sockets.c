#include "sockets.h"

struct sockets *sockets_new(struct trace_writer *writer)
{
    (void)writer;
    return NULL;
}

void sockets_free(struct sockets *sockets)
{
    (void)sockets;
}

bool sockets_are_outside(struct recorder *recorder, const struct tracee *tracee,
                         const struct file *file, struct op *op)
{
    (void)recorder;
    (void)tracee;
    (void)file;
    (void)op;
    return false;
}
