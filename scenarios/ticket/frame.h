/* frame.h - how a record stands in the file: one line of text that knows its length and its sum.
 *
 *   POSITION SP LENGTH SP CRC SP RECORD LF      the three as 8 lowercase hex digits
 *
 * CRC is CRC-32 over everything before it and the record. The first line of a file has the word
 * "metadata" as its position. A record without a byte marks a position that carries none. JSON in
 * compact form has no line feed and no NUL, so an end without a line feed was never complete. */
#ifndef TICKET_FRAME_H
#define TICKET_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_HEAD_SIZE = 27, FRAME_RECORD_MAX = 1 << 20 };

enum frame_state { FRAME_GOOD, FRAME_TORN, FRAME_DAMAGED };

struct frame {
    bool is_metadata;
    uint64_t position;
    const char *record; /* within the bytes that were decoded */
    size_t record_size;
    size_t size; /* of the whole line */
};

/* Decodes the line at the start of `left` bytes, behind which the file ends; left is not 0. */
enum frame_state frame_decode(const char *bytes, size_t left, struct frame *frame);

/* The bytes of a line, for the caller to free; NULL: no memory. frame->size is set. */
char *frame_encode(struct frame *frame);

#endif
