#include "mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { EXIT_HARNESS = 3 };

static void *need(void *memory)
{
    if (memory)
        return memory;
    static const char line[] = "brink: out of memory\n";
    const ssize_t sent = write(STDERR_FILENO, line, sizeof line - 1);
    (void)sent;
    _exit(EXIT_HARNESS);
}

void *mem_new(size_t count, size_t size)
{
    return need(calloc(count ? count : 1, size));
}

void mem_grow(void *items_pointer, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return;
    size_t larger = *capacity ? *capacity : 8;
    while (larger < wanted)
        larger *= 2;
    void *items;
    memcpy(&items, items_pointer, sizeof items);
    items = need(reallocarray(items, larger, size));
    memcpy(items_pointer, &items, sizeof items);
    *capacity = larger;
}

char *mem_string(const char *text)
{
    return mem_range(text, strlen(text));
}

char *mem_range(const char *text, size_t size)
{
    char *copy = mem_new(size + 1, 1);
    memcpy(copy, text, size);
    return copy;
}

void *mem_copy(const void *data, size_t size)
{
    void *copy = mem_new(size, 1);
    memcpy(copy, data, size);
    return copy;
}

char *mem_format(const char *fmt, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, fmt);
    const int size = vasprintf(&text, fmt, args);
    va_end(args);
    return need(size < 0 ? NULL : text);
}
