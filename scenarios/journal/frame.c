#include "frame.h"

#include <openssl/evp.h>
#include <string.h>
#include <zlib.h>

enum {
    LENGTH_AT = 4,
    CRC_AT = 8,
    STRING_MAX = 65535,
    DIGEST_BYTES = FRAME_DIGEST_SIZE / 2,
};

const char *frame_word(enum frame_state state)
{
    static const char *const words[] = {
        [FRAME_VALID] = "valid",
        [FRAME_TORN] = "torn",
        [FRAME_BAD_MAGIC] = "bad-magic",
        [FRAME_BAD_LENGTH] = "bad-length",
        [FRAME_BAD_CRC] = "bad-crc",
        [FRAME_BAD_PAYLOAD] = "bad-payload",
        [FRAME_BAD_BODY_HASH] = "bad-body-hash",
        [FRAME_DUPLICATE_KEY] = "duplicate-key",
        [FRAME_BAD_SEQUENCE] = "bad-sequence",
    };
    return words[state];
}

static void put_u16(uint8_t *out, uint32_t value)
{
    out[0] = (uint8_t)(value >> 8);
    out[1] = (uint8_t)value;
}

static void put_u32(uint8_t *out, uint32_t value)
{
    put_u16(out, value >> 16);
    put_u16(out + 2, value & 0xFFFF);
}

static uint32_t get_u16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint32_t get_u32(const uint8_t *bytes)
{
    return get_u16(bytes) << 16 | get_u16(bytes + 2);
}

static uint32_t crc_of(const uint8_t *payload, size_t size)
{
    return (uint32_t)crc32(0, payload, (uInt)size);
}

static bool digest_of(struct utf_text body, char hex[FRAME_DIGEST_SIZE + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[DIGEST_BYTES];
    if (EVP_Digest(body.bytes, body.size, digest, NULL, EVP_sha256(), NULL) != 1)
        return false;
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[FRAME_DIGEST_SIZE] = '\0';
    return true;
}

/* What is left to read of a payload. */
struct rest {
    const uint8_t *at;
    size_t size;
};

/* Takes one string off the payload and appends it to out in plain UTF-8. */
static bool take_string(struct rest *rest, char *out, size_t room, struct utf_text *text)
{
    if (rest->size < 2)
        return false;
    const size_t size = get_u16(rest->at);
    if (rest->size - 2 < size)
        return false;
    const struct utf_text modified = {(const char *)rest->at + 2, size};
    size_t plain_size = 0;
    if (!utf_from_modified(modified, out, room, &plain_size))
        return false;
    *text = (struct utf_text){out, plain_size};
    rest->at += 2 + size;
    rest->size -= 2 + size;
    return true;
}

static bool take_payload(struct rest rest, struct frame *frame)
{
    char *out = frame->storage;
    char *const end = frame->storage + sizeof frame->storage;
    struct utf_text digest = {NULL, 0};
    /* No string grows on its way to plain UTF-8, so the storage always holds all three. */
    if (!take_string(&rest, out, (size_t)(end - out), &frame->key))
        return false;
    out += frame->key.size;
    if (!take_string(&rest, out, (size_t)(end - out), &digest) || digest.size != FRAME_DIGEST_SIZE)
        return false;
    memcpy(frame->digest, digest.bytes, FRAME_DIGEST_SIZE);
    frame->digest[FRAME_DIGEST_SIZE] = '\0';
    if (!take_string(&rest, out, (size_t)(end - out), &frame->body) || rest.size != 4)
        return false;
    frame->result = (int32_t)get_u32(rest.at);
    return true;
}

/* Says whether the header, as far as it is there, can be that of a frame that is there whole. A
 * beginning that no frame has is damage even when the file ends behind it: no torn write of ours
 * leaves it. */
static enum frame_state check_header(const uint8_t *bytes, size_t left)
{
    uint8_t magic[4];
    put_u32(magic, FRAME_MAGIC);
    if (memcmp(bytes, magic, left < sizeof magic ? left : sizeof magic) != 0)
        return FRAME_BAD_MAGIC;
    if (left < CRC_AT)
        return FRAME_TORN;
    const int32_t length = (int32_t)get_u32(bytes + LENGTH_AT);
    if (length < 0 || length > FRAME_PAYLOAD_MAX)
        return FRAME_BAD_LENGTH;
    return left < FRAME_HEADER_SIZE + (size_t)length ? FRAME_TORN : FRAME_VALID;
}

enum frame_state frame_decode(const uint8_t *bytes, size_t left, struct frame *frame)
{
    const enum frame_state header = check_header(bytes, left);
    if (header != FRAME_VALID)
        return header;
    const struct rest payload = {bytes + FRAME_HEADER_SIZE, get_u32(bytes + LENGTH_AT)};
    if (crc_of(payload.at, payload.size) != get_u32(bytes + CRC_AT))
        return FRAME_BAD_CRC;
    if (!take_payload(payload, frame))
        return FRAME_BAD_PAYLOAD;
    char digest[FRAME_DIGEST_SIZE + 1];
    if (!digest_of(frame->body, digest) || memcmp(digest, frame->digest, sizeof digest) != 0)
        return FRAME_BAD_BODY_HASH;
    frame->size = FRAME_HEADER_SIZE + payload.size;
    return FRAME_VALID;
}

/* Appends one string to the frame of *size bytes so far. */
static bool add_string(struct utf_text text, uint8_t out[FRAME_SIZE_MAX], size_t *size)
{
    const size_t at = *size + 2;
    if (at > FRAME_SIZE_MAX)
        return false;
    const size_t left = FRAME_SIZE_MAX - at;
    size_t modified_size = 0;
    if (!utf_to_modified(text, out + at, left < STRING_MAX ? left : STRING_MAX, &modified_size))
        return false;
    put_u16(out + *size, (uint32_t)modified_size);
    *size = at + modified_size;
    return true;
}

bool frame_encode(struct utf_text key, struct utf_text body, int32_t result,
                  uint8_t out[FRAME_SIZE_MAX], size_t *size)
{
    char digest[FRAME_DIGEST_SIZE + 1];
    size_t at = FRAME_HEADER_SIZE;
    if (!digest_of(body, digest) || !add_string(key, out, &at) ||
        !add_string((struct utf_text){digest, FRAME_DIGEST_SIZE}, out, &at) ||
        !add_string(body, out, &at) || FRAME_SIZE_MAX - at < 4)
        return false;
    put_u32(out + at, (uint32_t)result);
    at += 4;
    const size_t payload_size = at - FRAME_HEADER_SIZE;
    put_u32(out, FRAME_MAGIC);
    put_u32(out + LENGTH_AT, (uint32_t)payload_size);
    put_u32(out + CRC_AT, crc_of(out + FRAME_HEADER_SIZE, payload_size));
    *size = at;
    return true;
}
