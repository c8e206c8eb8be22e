#include "memory.h"

#include <errno.h>
#include <string.h>

enum {
    PAGE_SIZE = 4096,
    PIECE_MAX = 1 << 20,       /* what the writer gives room for at once */
    VECTORS_AT_ONCE = 64,      /* of the remote side in one call */
    CALL_SIZE_MAX = 0x7ffff000 /* the kernel's own limit for one call */
};

static void *remote_pointer(uint64_t address)
{
    void *pointer;
    memcpy(&pointer, &address, sizeof pointer);
    return pointer;
}

size_t memory_read(pid_t tid, uint64_t address, void *to, size_t size)
{
    const struct iovec local = {.iov_base = to, .iov_len = size};
    const struct iovec remote = {.iov_base = remote_pointer(address), .iov_len = size};
    const ssize_t got = process_vm_readv(tid, &local, 1, &remote, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

bool memory_read_all(pid_t tid, uint64_t address, void *to, size_t size)
{
    return memory_read(tid, address, to, size) == size;
}

bool memory_write_all(pid_t tid, uint64_t address, const void *from, size_t size)
{
    void *source;
    memcpy(&source, &from, sizeof source);
    const struct iovec local = {.iov_base = source, .iov_len = size};
    const struct iovec remote = {.iov_base = remote_pointer(address), .iov_len = size};
    return process_vm_writev(tid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

bool memory_string(pid_t tid, uint64_t address, char *to, size_t size)
{
    size_t filled = 0;
    while (filled < size) {
        /* Never across a page: the next one may not be there, and the string may end before. */
        size_t piece = PAGE_SIZE - (address + filled) % PAGE_SIZE;
        if (piece > size - filled)
            piece = size - filled;
        const size_t got = memory_read(tid, address + filled, to + filled, piece);
        if (memchr(to + filled, '\0', got) != NULL)
            return true;
        if (got < piece)
            return false;
        filled += got;
    }
    return false;
}

void memory_one(struct memory_vectors *out, uint64_t address, uint64_t size)
{
    if (size > CALL_SIZE_MAX)
        size = CALL_SIZE_MAX;
    out->items[0] = (struct iovec){.iov_base = remote_pointer(address), .iov_len = size};
    out->count = 1;
    out->size = size;
}

bool memory_vectors(pid_t tid, uint64_t address, uint64_t count, struct memory_vectors *out)
{
    if (count > MEMORY_VECTORS_MAX ||
        !memory_read_all(tid, address, out->items, count * sizeof *out->items))
        return false;
    out->count = count;
    out->size = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t left = CALL_SIZE_MAX - out->size;
        if (out->items[i].iov_len > left)
            out->items[i].iov_len = left;
        out->size += out->items[i].iov_len;
    }
    return true;
}

/* Where in the vectors the next byte lies. */
struct position {
    size_t item;
    size_t skip;
};

/* The next vectors, at most `size` bytes; moves on. Returns how many bytes they hold. */
static size_t next_vectors(const struct memory_vectors *from, struct position *position,
                           size_t size, struct iovec *out, size_t *count)
{
    size_t total = 0;
    *count = 0;
    while (total < size && position->item < from->count && *count < VECTORS_AT_ONCE) {
        const struct iovec *item = &from->items[position->item];
        size_t take = item->iov_len - position->skip;
        if (take > size - total)
            take = size - total;
        if (take > 0)
            out[(*count)++] = (struct iovec){(char *)item->iov_base + position->skip, take};
        total += take;
        position->skip += take;
        if (position->skip == item->iov_len)
            *position = (struct position){.item = position->item + 1};
    }
    return total;
}

bool memory_payload(pid_t tid, const struct memory_vectors *from, struct trace_writer *writer,
                    struct memory_piece *out, struct err *err)
{
    struct position position = {0};
    struct memory_piece piece = {.at = writer->trace->payload_size};
    while (piece.got < from->size) {
        struct iovec remote[VECTORS_AT_ONCE];
        size_t count;
        const uint64_t left = from->size - piece.got;
        const size_t wanted =
            next_vectors(from, &position, left < PIECE_MAX ? left : PIECE_MAX, remote, &count);
        uint64_t at;
        void *room = trace_writer_room(writer, wanted, &at, err);
        if (room == NULL)
            return false;
        const struct iovec local = {.iov_base = room, .iov_len = wanted};
        const ssize_t copied = process_vm_readv(tid, &local, 1, remote, count, 0);
        const size_t got = copied < 0 ? 0 : (size_t)copied;
        trace_writer_shrink(writer, wanted - got);
        piece.got += got;
        if (got < wanted)
            break;
    }
    *out = piece;
    return true;
}
