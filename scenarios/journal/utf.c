/* A decoder takes one character off the front of a text and says how many bytes it had, 0 when
 * they are malformed. An encoder writes one character and says how many bytes it took, 0 when they
 * do not fit. Conversion is a decoder of one form run against the encoder of the other. */
#include "utf.h"

enum {
    ASCII_END = 0x80,
    TWO_BYTE_END = 0x800,
    SURROGATE_HIGH = 0xD800,
    SURROGATE_LOW = 0xDC00,
    SURROGATE_END = 0xE000,
    BASIC_END = 0x10000,
    UNICODE_END = 0x110000,
    SIZE_MAX_UTF = 6,
};

typedef size_t decoder(const uint8_t *bytes, size_t left, uint32_t *character);
typedef size_t encoder(uint32_t character, uint8_t *out, size_t room);

/* The bits that `count` continuation bytes add below `high`; false when one is none. */
static bool continued(const uint8_t *bytes, size_t count, uint32_t high, uint32_t *value)
{
    for (size_t i = 0; i < count; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return false;
        high = high << 6 | (bytes[i] & 0x3FU);
    }
    *value = high;
    return true;
}

/* One sequence of one to four bytes, by its bit pattern alone: what it stands for may be overlong
 * or a surrogate. */
static size_t take_sequence(const uint8_t *bytes, size_t left, uint32_t *value)
{
    const uint8_t lead = bytes[0];
    if (lead < ASCII_END) {
        *value = lead;
        return 1;
    }
    const size_t size = (lead & 0xE0) == 0xC0   ? 2
                        : (lead & 0xF0) == 0xE0 ? 3
                        : (lead & 0xF8) == 0xF0 ? 4
                                                : 0;
    if (size == 0 || size > left)
        return 0;
    const uint32_t high = lead & (0x7FU >> size);
    return continued(bytes + 1, size - 1, high, value) ? size : 0;
}

static bool is_surrogate(uint32_t value)
{
    return value >= SURROGATE_HIGH && value < SURROGATE_END;
}

static size_t plain_size(uint32_t value)
{
    return value < ASCII_END ? 1 : value < TWO_BYTE_END ? 2 : value < BASIC_END ? 3 : 4;
}

static size_t decode_plain(const uint8_t *bytes, size_t left, uint32_t *character)
{
    const size_t size = take_sequence(bytes, left, character);
    if (size == 0 || is_surrogate(*character) || *character >= UNICODE_END)
        return 0;
    return size == plain_size(*character) ? size : 0;
}

/* The size that one character of 16 bits takes in modified UTF-8. */
static size_t unit_size(uint32_t unit)
{
    return unit == 0 ? 2 : plain_size(unit);
}

static size_t decode_modified(const uint8_t *bytes, size_t left, uint32_t *character)
{
    uint32_t first = 0;
    const size_t size = take_sequence(bytes, left, &first);
    if (size == 0 || size > 3 || size != unit_size(first))
        return 0;
    if (!is_surrogate(first)) {
        *character = first;
        return size;
    }
    uint32_t second = 0;
    if (first >= SURROGATE_LOW || left <= size ||
        take_sequence(bytes + size, left - size, &second) != 3 || second < SURROGATE_LOW ||
        second >= SURROGATE_END)
        return 0;
    *character = BASIC_END + ((first - SURROGATE_HIGH) << 10) + (second - SURROGATE_LOW);
    return size + 3;
}

static void put_sequence(uint32_t value, uint8_t *out, size_t size)
{
    static const uint8_t leads[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (value & 0x3F));
        value >>= 6;
    }
    out[0] = (uint8_t)(leads[size] | value);
}

static size_t encode_plain(uint32_t character, uint8_t *out, size_t room)
{
    const size_t size = plain_size(character);
    if (size > room)
        return 0;
    put_sequence(character, out, size);
    return size;
}

static size_t encode_modified(uint32_t character, uint8_t *out, size_t room)
{
    if (character < BASIC_END) {
        const size_t size = unit_size(character);
        if (size > room)
            return 0;
        put_sequence(character, out, size);
        return size;
    }
    if (room < SIZE_MAX_UTF)
        return 0;
    const uint32_t bits = character - BASIC_END;
    put_sequence(SURROGATE_HIGH + (bits >> 10), out, 3);
    put_sequence(SURROGATE_LOW + (bits & 0x3FF), out + 3, 3);
    return SIZE_MAX_UTF;
}

struct conversion {
    decoder *decode;
    encoder *encode;
};

static bool convert(const struct conversion *way, struct utf_text from, uint8_t *out, size_t room,
                    size_t *size)
{
    size_t written = 0;
    for (size_t at = 0; at < from.size;) {
        uint32_t character = 0;
        const size_t taken =
            way->decode((const uint8_t *)from.bytes + at, from.size - at, &character);
        if (taken == 0)
            return false;
        const size_t put = way->encode(character, out + written, room - written);
        if (put == 0)
            return false;
        at += taken;
        written += put;
    }
    *size = written;
    return true;
}

bool utf_to_modified(struct utf_text plain, uint8_t *out, size_t room, size_t *size)
{
    static const struct conversion way = {decode_plain, encode_modified};
    return convert(&way, plain, out, room, size);
}

bool utf_from_modified(struct utf_text modified, char *out, size_t room, size_t *size)
{
    static const struct conversion way = {decode_modified, encode_plain};
    return convert(&way, modified, (uint8_t *)out, room, size);
}

bool utf_is_valid(struct utf_text plain)
{
    uint32_t character = 0;
    for (size_t at = 0, taken = 0; at < plain.size; at += taken) {
        taken = decode_plain((const uint8_t *)plain.bytes + at, plain.size - at, &character);
        if (taken == 0)
            return false;
    }
    return true;
}
