/* mem.h - memory that is always there.
 *
 * brink's own tables are small (payloads live in files), so running out of memory is no state that
 * anybody can act on: these functions end the program with one line and exit status 3 instead of
 * returning NULL. Slots, mounts and temporary folders are then cleaned up by the janitor. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Zeroed memory for count items of the given size; the caller frees it. */
void *mem_new(size_t count, size_t size);

/* Makes room for at least `need` items in the array at *(void **)items_pointer, whose capacity is
 * *capacity; grows by doubling. New memory is not zeroed. */
void mem_grow(void *items_pointer, size_t *capacity, size_t need, size_t size);

/* Copies of a string, of a range, of a block. The caller frees them. */
char *mem_string(const char *text);
char *mem_range(const char *text, size_t size);
void *mem_copy(const void *data, size_t size);

/* A freshly allocated string made as by printf. */
char *mem_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
