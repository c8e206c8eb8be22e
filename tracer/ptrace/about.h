/* about.h - what a call is about to do, as the op that it would be.
 *
 * Handlers find out at the entry what they need and leave the rest to the exit. Who looks for a
 * certain call wants to know more at the entry: the name of a file that does not exist yet, the
 * other end of a connection. */
#ifndef PTRACE_ABOUT_H
#define PTRACE_ABOUT_H

#include "recorder.h"

/* OP_KIND_COUNT: none that is known before. Bytes that the kernel copies by itself are not known
 * before: payload_size is 0 then. */
struct op about_op(struct recorder *recorder, struct tracee *tracee);

/* How many bytes a call that writes was asked to write. */
uint64_t about_size(const struct tracee *tracee, const struct op *op);

/* The descriptor that a call writes to. */
int about_fd(const struct tracee *tracee);

#endif
