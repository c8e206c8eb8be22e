#include "hex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/mem.h"

static const char digits[] = "0123456789abcdef";

static int value_of(char digit)
{
    const char *at = digit != '\0' ? strchr(digits, tolower((unsigned char)digit)) : NULL;
    return at ? (int)(at - digits) : -1;
}

uint8_t *hex_decode(const char *text, size_t *size)
{
    const size_t length = strlen(text);
    uint8_t *data = mem_new(length / 2 + 1, 1);
    for (size_t i = 0; i < length; i += 2) {
        const int high = value_of(text[i]);
        const int low = value_of(text[i + 1]);
        if (high < 0 || low < 0) {
            free(data);
            return NULL;
        }
        data[i / 2] = (uint8_t)(high << 4 | low);
    }
    *size = length / 2;
    return data;
}

char *hex_encode(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    char *text = mem_new(size * 2 + 1, 1);
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 0xf];
    }
    return text;
}
