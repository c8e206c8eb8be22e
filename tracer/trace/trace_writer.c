#include "trace_writer.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "robust_place.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* While recording, trace->payload_size counts what is still in the buffer too. */
enum { BUFFER_SIZE = 1 << 20 };

void trace_writer_init(struct trace_writer *writer, struct trace *trace, int payload_fd)
{
    *writer = (struct trace_writer){.trace = trace, .fd = payload_fd};
    writer->buffer = mem_new(BUFFER_SIZE, 1);
    if (trace->stacks_count == 0) { /* number 0 is the empty stack */
        mem_grow(&trace->stacks, &writer->stacks_capacity, 1, sizeof *trace->stacks);
        trace->stacks[trace->stacks_count++] = (struct trace_stack){0};
    }
}

static bool write_all(struct trace_writer *writer, const void *data, size_t size, uint64_t at,
                      struct err *err)
{
    const char *next = data;
    while (size > 0) {
        const ssize_t done = pwrite(writer->fd, next, size, (off_t)at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return err_system(err, "write the recorded bytes to the payload file");
        next += done;
        at += (uint64_t)done;
        size -= (size_t)done;
    }
    return true;
}

static bool flush(struct trace_writer *writer, struct err *err)
{
    const uint64_t at = writer->trace->payload_size - writer->buffered;
    if (!write_all(writer, writer->buffer, writer->buffered, at, err))
        return false;
    writer->buffered = 0;
    return true;
}

void *trace_writer_room(struct trace_writer *writer, size_t size, uint64_t *at, struct err *err)
{
    CHECK(size <= BUFFER_SIZE);
    if (writer->buffered + size > BUFFER_SIZE && !flush(writer, err))
        return NULL;
    void *room = writer->buffer + writer->buffered;
    *at = writer->trace->payload_size;
    writer->buffered += size;
    writer->trace->payload_size += size;
    return room;
}

void trace_writer_shrink(struct trace_writer *writer, size_t unused)
{
    CHECK(unused <= writer->buffered);
    writer->buffered -= unused;
    writer->trace->payload_size -= unused;
}

bool trace_writer_payload(struct trace_writer *writer, const void *data, size_t size, uint64_t *at,
                          struct err *err)
{
    if (size <= BUFFER_SIZE) {
        void *room = trace_writer_room(writer, size, at, err);
        if (!room)
            return false;
        if (size > 0)
            memcpy(room, data, size);
        return true;
    }
    const uint64_t start = writer->trace->payload_size;
    if (!flush(writer, err) || !write_all(writer, data, size, start, err))
        return false;
    writer->trace->payload_size += size;
    *at = start;
    return true;
}

bool trace_writer_read(const struct trace_writer *writer, uint64_t at, void *to, size_t size,
                       struct err *err)
{
    const uint64_t in_buffer = writer->trace->payload_size - writer->buffered;
    char *next = to;
    while (size > 0 && at < in_buffer) {
        const uint64_t left = in_buffer - at;
        const ssize_t got = pread(writer->fd, next, left < size ? (size_t)left : size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return err_system(err, "read the recorded bytes again");
        next += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    CHECK(size == 0 || at + size <= writer->trace->payload_size);
    if (size > 0)
        memcpy(next, writer->buffer + (at - in_buffer), size);
    return true;
}

uint32_t trace_writer_op(struct trace_writer *writer, const struct op *op)
{
    struct trace *trace = writer->trace;
    CHECK(trace->count < UINT32_MAX);
    mem_grow(&trace->ops, &writer->ops_capacity, (size_t)trace->count + 1, sizeof *trace->ops);
    trace->ops[trace->count] = *op;
    return trace->count++;
}

uint32_t trace_writer_thread(struct trace_writer *writer, const struct trace_thread *thread)
{
    struct trace *trace = writer->trace;
    mem_grow(&trace->threads, &writer->threads_capacity, (size_t)trace->threads_count + 1,
             sizeof *trace->threads);
    trace->threads[trace->threads_count] = *thread;
    return trace->threads_count++;
}

uint32_t trace_writer_node(struct trace_writer *writer)
{
    CHECK(writer->trace->nodes > NODE_ROOT && writer->trace->nodes < UINT32_MAX);
    return writer->trace->nodes++;
}

bool trace_writer_robust(struct trace_writer *writer, const struct robust_place *place,
                         uint32_t *number, struct err *err)
{
    const struct robust_words words = {.alone = FUTEX_OWNER_DIED,
                                       .awaited = FUTEX_WAITERS | FUTEX_OWNER_DIED};
    struct trace *trace = writer->trace;
    uint64_t payload;
    if (!trace_writer_payload(writer, &words, sizeof words, &payload, err))
        return false;
    mem_grow(&trace->robust, &writer->robust_capacity, (size_t)trace->robust_count + 1,
             sizeof *trace->robust);
    trace->robust[trace->robust_count] = *place;
    trace->robust[trace->robust_count].payload = payload;
    *number = trace->robust_count++;
    return true;
}

static bool is_stack(const struct trace *trace, uint64_t number, const uint32_t *frames,
                     uint32_t count)
{
    const struct trace_stack *stack = &trace->stacks[number];
    return stack->count == count &&
           memcmp(&trace->stack_frames[stack->first], frames, count * sizeof *frames) == 0;
}

static uint32_t add_stack(struct trace_writer *writer, const uint32_t *frames, uint32_t count)
{
    struct trace *trace = writer->trace;
    const size_t used = (size_t)trace->stack_frames_count + count;
    CHECK(used <= UINT32_MAX);
    mem_grow(&trace->stack_frames, &writer->stack_frames_capacity, used,
             sizeof *trace->stack_frames);
    mem_grow(&trace->stacks, &writer->stacks_capacity, (size_t)trace->stacks_count + 1,
             sizeof *trace->stacks);
    memcpy(&trace->stack_frames[trace->stack_frames_count], frames, count * sizeof *frames);
    trace->stacks[trace->stacks_count] =
        (struct trace_stack){.first = trace->stack_frames_count, .count = count};
    trace->stack_frames_count = (uint32_t)used;
    return trace->stacks_count++;
}

uint32_t trace_writer_stack(struct trace_writer *writer, const uint32_t *frames, uint32_t count)
{
    if (count == 0)
        return 0;
    uint64_t number;
    uint64_t key = XXH3_64bits(frames, count * sizeof *frames);
    while (map_get(&writer->stack_by_hash, key, &number)) {
        if (is_stack(writer->trace, number, frames, count))
            return (uint32_t)number;
        key++;
    }
    const uint32_t added = add_stack(writer, frames, count);
    map_put(&writer->stack_by_hash, key, added);
    return added;
}

uint32_t trace_writer_frame(struct trace_writer *writer, uint64_t key, bool *is_new)
{
    struct trace *trace = writer->trace;
    uint64_t number;
    *is_new = !map_get(&writer->frame_by_address, key, &number);
    if (!*is_new)
        return (uint32_t)number;
    mem_grow(&trace->frames, &writer->frames_capacity, (size_t)trace->frames_count + 1,
             sizeof *trace->frames);
    trace->frames[trace->frames_count] = (struct trace_frame){0};
    map_put(&writer->frame_by_address, key, trace->frames_count);
    return trace->frames_count++;
}

void trace_writer_note(struct trace_writer *writer, const char *fmt, ...)
{
    struct trace_about *about = &writer->trace->about;
    char *text OWN(own_mem) = NULL;
    va_list args;
    va_start(args, fmt);
    const int size = vasprintf(&text, fmt, args);
    va_end(args);
    if (size < 0) {
        text = NULL;
        return;
    }
    for (size_t i = 0; i < about->notes_count; i++) {
        if (strcmp(about->notes[i], text) == 0)
            return;
    }
    mem_grow(&about->notes, &writer->notes_capacity, about->notes_count + 1, sizeof *about->notes);
    about->notes[about->notes_count++] = text;
    text = NULL; /* the trace owns it now */
}

bool trace_writer_finish(struct trace_writer *writer, struct err *err)
{
    if (!flush(writer, err))
        return false;
    const int fd = own_take_fd(&writer->fd);
    if (!trace_set_payload(writer->trace, fd, err))
        return false;
    trace_index(writer->trace);
    return true;
}

void trace_writer_fini(struct trace_writer *writer)
{
    own_close_now(&writer->fd);
    free(writer->buffer);
    map_fini(&writer->stack_by_hash);
    map_fini(&writer->frame_by_address);
    *writer = (struct trace_writer){.fd = -1};
}
