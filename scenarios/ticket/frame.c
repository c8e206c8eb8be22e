#include "frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { WORD_SIZE = 8, LENGTH_PLACE = 9, SUM_PLACE = 18 };

static const char metadata_word[WORD_SIZE + 1] = "metadata";

static uint32_t sum_of(const char *head, const char *record, size_t size)
{
    const uLong sum = crc32_z(0, (const Bytef *)head, SUM_PLACE);
    return (uint32_t)crc32_z(sum, (const Bytef *)record, size);
}

/* Eight lowercase hex digits and a blank. */
static bool read_word(const char *bytes, uint32_t *out)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t value = 0;
    for (int i = 0; i < WORD_SIZE; i++) {
        const char *digit = bytes[i] ? strchr(digits, bytes[i]) : NULL;
        if (!digit)
            return false;
        value = value << 4 | (uint32_t)(digit - digits);
    }
    *out = value;
    return bytes[WORD_SIZE] == ' ';
}

/* An end that has no line feed may have been cut off, or be followed by the zeros of a file whose
 * size came before its bytes. A whole line whose line feed was damaged looks otherwise. */
static bool is_torn(const char *bytes, size_t left)
{
    uint32_t length = 0;
    if (memchr(bytes, '\n', left))
        return false;
    if (bytes[left - 1] == '\0' || left < FRAME_HEAD_SIZE)
        return true;
    return read_word(bytes + LENGTH_PLACE, &length) && left - FRAME_HEAD_SIZE <= length;
}

enum frame_state frame_decode(const char *bytes, size_t left, struct frame *frame)
{
    uint32_t position = 0;
    uint32_t length = 0;
    uint32_t sum = 0;
    if (is_torn(bytes, left))
        return FRAME_TORN;
    if (left <= FRAME_HEAD_SIZE)
        return FRAME_DAMAGED;
    const bool is_metadata = memcmp(bytes, metadata_word, WORD_SIZE) == 0;
    if (!(is_metadata ? bytes[WORD_SIZE] == ' ' : read_word(bytes, &position)) ||
        !read_word(bytes + LENGTH_PLACE, &length) || !read_word(bytes + SUM_PLACE, &sum) ||
        length > FRAME_RECORD_MAX || left - FRAME_HEAD_SIZE <= length)
        return FRAME_DAMAGED;
    const char *record = bytes + FRAME_HEAD_SIZE;
    if (record[length] != '\n' || sum_of(bytes, record, length) != sum)
        return FRAME_DAMAGED;
    *frame = (struct frame){is_metadata, position, record, length, FRAME_HEAD_SIZE + length + 1};
    return FRAME_GOOD;
}

char *frame_encode(struct frame *frame)
{
    frame->size = FRAME_HEAD_SIZE + frame->record_size + 1;
    char *bytes = malloc(frame->size + 1);
    if (!bytes)
        return NULL;
    if (frame->is_metadata) {
        snprintf(bytes, frame->size + 1, "%s %08zx ", metadata_word, frame->record_size);
    } else {
        snprintf(bytes, frame->size + 1, "%08" PRIx64 " %08zx ", frame->position,
                 frame->record_size);
    }
    snprintf(bytes + SUM_PLACE, frame->size + 1 - SUM_PLACE, "%08" PRIx32 " %.*s\n",
             sum_of(bytes, frame->record, frame->record_size), (int)frame->record_size,
             frame->record);
    return bytes;
}
