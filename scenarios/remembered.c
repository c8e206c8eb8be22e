#include "remembered.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hex.h"
#include "sha256.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

struct looks {
    bool is_there;
    struct stat status;
    char digest[SHA256_TEXT];
};

struct entry {
    char *path;
    char *moment;
    struct looks looks;
};

struct remembered {
    struct entry *entries;
    size_t count, capacity;
};

struct remembered *remembered_new(void)
{
    return mem_new(1, sizeof(struct remembered));
}

void remembered_free(struct remembered *remembered)
{
    for (size_t i = 0; remembered && i < remembered->count; i++) {
        free(remembered->entries[i].path);
        free(remembered->entries[i].moment);
    }
    if (remembered)
        free(remembered->entries);
    free(remembered);
}

/* A file that cannot be read counts by what stat says of it. */
static struct looks look(int dir_fd, const char *path)
{
    struct looks looks = {0};
    struct err ignored = {0};
    const int fd OWN(own_fd) = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    looks.is_there = fstatat(dir_fd, path, &looks.status, 0) == 0;
    if (fd >= 0 && S_ISREG(looks.status.st_mode) && !sha256_file(fd, looks.digest, &ignored))
        looks.digest[0] = '\0';
    return looks;
}

void remembered_take(struct remembered *remembered, int dir_fd, const char *path,
                     const char *moment)
{
    mem_grow(&remembered->entries, &remembered->capacity, remembered->count + 1,
             sizeof *remembered->entries);
    remembered->entries[remembered->count++] = (struct entry){
        .path = mem_string(path), .moment = mem_string(moment), .looks = look(dir_fd, path)};
}

static bool is_same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static char *difference(const struct looks *then, const struct looks *now)
{
    if (then->is_there != now->is_there)
        return mem_string(now->is_there ? "it is there, was not" : "it is gone");
    if (!now->is_there)
        return NULL;
    if (then->status.st_ino != now->status.st_ino || then->status.st_dev != now->status.st_dev)
        return mem_string("another file stands there (inode)");
    if (then->status.st_size != now->status.st_size) {
        return mem_format("size %lld, was %lld", (long long)now->status.st_size,
                          (long long)then->status.st_size);
    }
    if (strcmp(then->digest, now->digest) != 0)
        return mem_string("other bytes");
    if (!is_same_time(then->status.st_mtim, now->status.st_mtim))
        return mem_string("the time of its last change (mtime)");
    return NULL;
}

char *remembered_difference(const struct remembered *remembered, int dir_fd, const char *path,
                            const char *moment)
{
    for (size_t i = 0; i < remembered->count; i++) {
        const struct entry *entry = &remembered->entries[i];
        if (strcmp(entry->path, path) != 0 || strcmp(entry->moment, moment) != 0)
            continue;
        const struct looks now = look(dir_fd, path);
        return difference(&entry->looks, &now);
    }
    return mem_format("the moment \"%s\" has not come", moment);
}
