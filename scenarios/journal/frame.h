/* frame.h - one record of the journal as bytes.
 *
 *   magic u32 | length i32 | crc32 u32 | payload of `length` bytes
 *   payload: key | SHA-256 of the body, 64 lowercase hex digits | body | result i32
 *
 * All numbers are big-endian; the CRC (zlib's) covers the payload; the three strings are stored as
 * Java's writeUTF does, a u16 with their size before their modified UTF-8. The SHA-256 is taken of
 * the body in plain UTF-8. The result counts from 1 and grows by 1 from record to record; that, and
 * that no key comes twice, is for the reader of the whole file to check. */
#ifndef JOURNAL_FRAME_H
#define JOURNAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "utf.h"

enum {
    FRAME_HEADER_SIZE = 12,
    FRAME_PAYLOAD_MAX = 65536,
    FRAME_SIZE_MAX = FRAME_HEADER_SIZE + FRAME_PAYLOAD_MAX,
    FRAME_DIGEST_SIZE = 64,
};

/* "BRJ1": no zero byte in it, so that a hole never looks like the beginning of a frame. */
#define FRAME_MAGIC UINT32_C(0x42524A31)

/* What is found at a place in the journal. */
enum frame_state {
    FRAME_VALID,
    FRAME_TORN, /* the file ends inside the frame, and what is there can be its beginning */
    FRAME_BAD_MAGIC,
    FRAME_BAD_LENGTH, /* negative, or above FRAME_PAYLOAD_MAX */
    FRAME_BAD_CRC,
    FRAME_BAD_PAYLOAD,   /* the CRC is right, and still it is not key, digest, body and result */
    FRAME_BAD_BODY_HASH, /* the digest is not that of the body */
    FRAME_DUPLICATE_KEY,
    FRAME_BAD_SEQUENCE, /* the result is not the one before plus 1 */
};

/* The word for a state in messages: "bad-crc". */
const char *frame_word(enum frame_state state);

struct frame {
    size_t size; /* of the whole frame in the file */
    struct utf_text key;
    struct utf_text body;
    char digest[FRAME_DIGEST_SIZE + 1];
    int32_t result;
    char storage[FRAME_PAYLOAD_MAX]; /* key and body stand here, in plain UTF-8 */
};

/* Decodes the frame at the start of `left` bytes, beyond which the file has none. Sets all of
 * *frame when it returns FRAME_VALID; never returns the last two states. */
enum frame_state frame_decode(const uint8_t *bytes, size_t left, struct frame *frame);

/* False: the text is not valid UTF-8, or too long for a frame. */
bool frame_encode(struct utf_text key, struct utf_text body, int32_t result,
                  uint8_t out[FRAME_SIZE_MAX], size_t *size);

#endif
