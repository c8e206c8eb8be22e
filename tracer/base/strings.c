#include "strings.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "check.h"
#include "mem.h"

void strings_fini(struct strings *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(strings->items[i]);
    free(strings->items);
    map_fini(&strings->by_hash);
    *strings = (struct strings){0};
}

static uint32_t append(struct strings *strings, const char *text, size_t size)
{
    CHECK(strings->count < UINT32_MAX);
    mem_grow(&strings->items, &strings->capacity, strings->count + 1, sizeof *strings->items);
    strings->items[strings->count] = mem_range(text, size);
    return (uint32_t)strings->count++;
}

uint32_t strings_add_range(struct strings *strings, const char *text, size_t size)
{
    if (strings->count == 0)
        append(strings, "", 0);
    if (size == 0)
        return 0;
    uint64_t number;
    for (uint64_t key = XXH3_64bits(text, size);; key++) {
        if (!map_get(&strings->by_hash, key, &number)) {
            map_put(&strings->by_hash, key, strings->count);
            return append(strings, text, size);
        }
        if (strncmp(strings->items[number], text, size) == 0 && !strings->items[number][size])
            return (uint32_t)number;
    }
}

uint32_t strings_add(struct strings *strings, const char *text)
{
    return strings_add_range(strings, text, strlen(text));
}

bool strings_find(const struct strings *strings, const char *text, uint32_t *out)
{
    uint64_t number = 0;
    if (*text == '\0') {
        *out = 0;
        return true;
    }
    for (uint64_t key = XXH3_64bits(text, strlen(text));; key++) {
        if (!map_get(&strings->by_hash, key, &number))
            return false;
        if (strcmp(strings->items[number], text) == 0)
            break;
    }
    *out = (uint32_t)number;
    return true;
}

const char *strings_get(const struct strings *strings, uint32_t number)
{
    if (number == 0)
        return "";
    CHECK(number < strings->count);
    return strings->items[number];
}
