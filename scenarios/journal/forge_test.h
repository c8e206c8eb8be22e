/* forge_test.h - frames for tests, good and bad ones, made without the code under test. */
#ifndef JOURNAL_FORGE_TEST_H
#define JOURNAL_FORGE_TEST_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "utf.h"

#define FORGE_ADD_ONE "d80d9996ebaf30dcadfe7474518940e842231229efa97f8aa44b5f0a6311ba75"

/* The 99 bytes of `put turn-1 add-one` on a new journal. */
enum { FORGE_SIZE = 99 };
static const uint8_t forge_reference[FORGE_SIZE + 1] = "BRJ1\0\0\0\x57\x4b\xe5\xc5\xeb"
                                                       "\0\6turn-1"
                                                       "\0\x40" FORGE_ADD_ONE "\0\7"
                                                       "add-one"
                                                       "\0\0\0\1";

static inline struct utf_text forge_text(const char *text)
{
    return (struct utf_text){text, strlen(text)};
}

static inline size_t forge_number(uint8_t *out, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(number >> (24 - 8 * i));
    return 4;
}

static inline size_t forge_string(uint8_t *out, struct utf_text modified)
{
    out[0] = (uint8_t)(modified.size >> 8);
    out[1] = (uint8_t)modified.size;
    memcpy(out + 2, modified.bytes, modified.size);
    return 2 + modified.size;
}

/* Puts a header with a right CRC before a payload that already stands at out + 12. Returns the size
 * of both. */
static inline size_t forge_header(uint8_t *out, size_t payload_size)
{
    memcpy(out, "BRJ1", 4);
    forge_number(out + 4, (uint32_t)payload_size);
    forge_number(out + 8, (uint32_t)crc32(0, out + 12, (uInt)payload_size));
    return 12 + payload_size;
}

struct forge {
    struct utf_text key;
    const char *digest;
    struct utf_text body;
    int32_t result;
};

static inline size_t forge_frame(uint8_t *out, const struct forge *forge)
{
    size_t size = forge_string(out + 12, forge->key);
    size += forge_string(out + 12 + size, forge_text(forge->digest));
    size += forge_string(out + 12 + size, forge->body);
    size += forge_number(out + 12 + size, (uint32_t)forge->result);
    return forge_header(out, size);
}

/* The frame of key "turn-N" with body add-one and this result; 99 bytes for N of one digit. */
static inline size_t forge_turn(uint8_t *out, int n, int32_t result)
{
    char key[32];
    snprintf(key, sizeof key, "turn-%d", n);
    const struct forge forge = {forge_text(key), FORGE_ADD_ONE, forge_text("add-one"), result};
    return forge_frame(out, &forge);
}

/* A file without a name, open for reading and appending. */
static inline int forge_file(const uint8_t *bytes, size_t size)
{
    const int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    return fd;
}

#endif
