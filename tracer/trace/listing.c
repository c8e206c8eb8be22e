#include "listing.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/mem.h"

enum { BUFFER = 32768 };

struct names {
    char *bytes;
    size_t size, size_capacity;
    size_t count;
};

static void take(struct names *names, const char *buffer, size_t size)
{
    for (size_t at = 0; at < size;) {
        const struct dirent64 *entry = (const void *)(buffer + at);
        at += entry->d_reclen;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        const size_t need = strlen(entry->d_name) + 1;
        mem_grow(&names->bytes, &names->size_capacity, names->size + need, 1);
        memcpy(names->bytes + names->size, entry->d_name, need);
        names->size += need;
        names->count++;
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool listing_read(int fd, struct listing *out, struct err *err)
{
    if (lseek(fd, 0, SEEK_SET) < 0)
        return err_system(err, "list a folder");
    struct names names = {0};
    /* Aligned as the kernel's records are. */
    _Alignas(struct dirent64) char buffer[BUFFER];
    ssize_t got;
    while ((got = getdents64(fd, buffer, sizeof buffer)) > 0)
        take(&names, buffer, (size_t)got);
    if (got < 0) {
        free(names.bytes);
        return err_system(err, "list a folder");
    }
    const char **sorted = mem_new(names.count, sizeof *sorted);
    const char *next = names.bytes;
    for (size_t i = 0; i < names.count; i++) {
        sorted[i] = next;
        next += strlen(next) + 1;
    }
    qsort(sorted, names.count, sizeof *sorted, compare);
    *out = (struct listing){.bytes = names.bytes, .names = sorted, .count = names.count};
    return true;
}

void listing_fini(struct listing *listing)
{
    free(listing->bytes);
    free(listing->names);
    *listing = (struct listing){0};
}
