/* memory.h - reading and writing the memory of a traced thread. */
#ifndef PTRACE_MEMORY_H
#define PTRACE_MEMORY_H

#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "tracer/trace/trace_writer.h"

/* How many bytes could be copied from the thread's memory: fewer than size where it ends. */
size_t memory_read(pid_t tid, uint64_t address, void *to, size_t size);

/* All of it or nothing. */
bool memory_read_all(pid_t tid, uint64_t address, void *to, size_t size);
bool memory_write_all(pid_t tid, uint64_t address, const void *from, size_t size);

/* A string with its NUL; false when it cannot be read or does not fit. */
bool memory_string(pid_t tid, uint64_t address, char *to, size_t size);

enum { MEMORY_VECTORS_MAX = 1024 }; /* IOV_MAX */

/* Buffers in the thread's memory. */
struct memory_vectors {
    struct iovec items[MEMORY_VECTORS_MAX];
    size_t count;
    uint64_t size; /* of all */
};

/* One buffer as vectors. */
void memory_one(struct memory_vectors *out, uint64_t address, uint64_t size);

/* An iovec array of the thread; false when it cannot be read, which the kernel then finds too. */
bool memory_vectors(pid_t tid, uint64_t address, uint64_t count, struct memory_vectors *out);

/* Appends the first from->size bytes of the buffers to the payload. out->got is less than that when
 * the memory ends before. */
struct memory_piece {
    uint64_t at;
    uint64_t got;
};
MUST_USE bool memory_payload(pid_t tid, const struct memory_vectors *from,
                             struct trace_writer *writer, struct memory_piece *out,
                             struct err *err);

#endif
