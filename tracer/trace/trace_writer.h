/* trace_writer.h - a trace while it is being recorded.
 *
 * Payloads go to the payload file as they come (buffered), ops to a growing table. Nothing here
 * knows about ptrace. One writer, one thread. */
#ifndef TRACE_TRACE_WRITER_H
#define TRACE_TRACE_WRITER_H

#include "trace.h"

struct trace_writer {
    struct trace *trace; /* borrowed; filled as the recording goes on */
    size_t ops_capacity, threads_capacity, frames_capacity, stacks_capacity, stack_frames_capacity;
    size_t notes_capacity, robust_capacity;
    int fd; /* payload file, opened for reading and writing */
    uint8_t *buffer;
    size_t buffered;
    struct map stack_by_hash;
    struct map frame_by_address; /* key: frame key given by the caller */
};

/* payload_fd is taken over. */
void trace_writer_init(struct trace_writer *writer, struct trace *trace, int payload_fd);

/* Appends bytes to the payload; *at says where they begin. Consecutive calls give consecutive
 * places, so a large payload may be appended in pieces. */
MUST_USE bool trace_writer_payload(struct trace_writer *writer, const void *data, size_t size,
                                   uint64_t *at, struct err *err);

/* A place of the given size inside the buffer, to be filled by the caller (a read from the worker's
 * memory) before the next call on this writer; size at most 1 MiB. NULL and *err on failure.
 * trace_writer_shrink gives back the last `unused` bytes, when the kernel accepted less. */
MUST_USE void *trace_writer_room(struct trace_writer *writer, size_t size, uint64_t *at,
                                 struct err *err);
void trace_writer_shrink(struct trace_writer *writer, size_t unused);

/* Reads payload that was appended before. */
MUST_USE bool trace_writer_read(const struct trace_writer *writer, uint64_t at, void *to,
                                size_t size, struct err *err);

/* Appends an op; returns its index. */
uint32_t trace_writer_op(struct trace_writer *writer, const struct op *op);

uint32_t trace_writer_thread(struct trace_writer *writer, const struct trace_thread *thread);
uint32_t trace_writer_node(struct trace_writer *writer); /* a new node number */

/* A lock word that has a robust holder; its payload is made here. Returns its number. */
struct robust_place;
MUST_USE bool trace_writer_robust(struct trace_writer *writer, const struct robust_place *place,
                                  uint32_t *number, struct err *err);

/* The number of the stack that consists of these frame numbers; equal stacks share one. */
uint32_t trace_writer_stack(struct trace_writer *writer, const uint32_t *frames, uint32_t count);

/* The number of the frame with this key (an address made unique by the caller, for it means
 * something else after an exec). *is_new: the caller should fill trace->frames[number]. */
uint32_t trace_writer_frame(struct trace_writer *writer, uint64_t key, bool *is_new);

/* A line for the user, once: the same text again is dropped. */
void trace_writer_note(struct trace_writer *writer, const char *fmt, ...) PRINTF(2, 3);

/* Flushes the buffer and hands the payload to the trace. The writer is then only to be fini'd. */
MUST_USE bool trace_writer_finish(struct trace_writer *writer, struct err *err);
void trace_writer_fini(struct trace_writer *writer);

#endif
