#include "vandal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tracer/base/folder.h"
#include "tracer/base/mem.h"

enum { PATHS_MAX = 2000 };

static char *paths[PATHS_MAX];
static char types[PATHS_MAX];
static size_t paths_count;

static int note(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)type;
    if (walk->level == 0 || paths_count == PATHS_MAX)
        return 0;
    types[paths_count] = S_ISREG(stat->st_mode) ? 'f' : S_ISDIR(stat->st_mode) ? 'd' : 'o';
    paths[paths_count++] = mem_string(path);
    return 0;
}

static void walk(const char *path)
{
    for (size_t i = 0; i < paths_count; i++)
        free(paths[i]);
    paths_count = 0;
    nftw(path, note, 50, FTW_PHYS);
}

/* A path that is there ('f' a file, 'd' a folder, 'a' anything), or NULL. */
static const char *any(struct random_ops *random, char type)
{
    for (int attempt = 0; attempt < 30 && paths_count > 0; attempt++) {
        const size_t i = random_ops_draw(random, paths_count);
        if (type == 'a' || types[i] == type)
            return paths[i];
    }
    return NULL;
}

static void new_path(struct random_ops *random, const char *top, char *out, size_t size)
{
    const char *dir = random_ops_draw(random, 2) ? any(random, 'd') : top;
    const uint64_t number = random_ops_draw(random, 20);
    snprintf(out, size, number < 16 ? "%s/n%d" : "%s/foreign%d", dir ? dir : top, (int)number);
}

static void scribble(struct random_ops *random, const char *file)
{
    const int fd = open(file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    const uint64_t at = random_ops_draw(random, RANDOM_FILE_MAX);
    if (random_ops_draw(random, 3))
        (void)!pwrite(fd, random->payload + 70000 + at, 1 + at % 5000, (off_t)at);
    else
        (void)!ftruncate(fd, (off_t)at);
    close(fd);
}

static bool store(const char *file)
{
    const int fd = open(file, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    struct stat stat;
    if (fd < 0 || fstat(fd, &stat) != 0 || stat.st_size == 0) {
        close(fd);
        return false;
    }
    char *map = mmap(NULL, (size_t)stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        return false;
    map[stat.st_size / 2] ^= 1;
    munmap(map, (size_t)stat.st_size);
    return true;
}

static void plant(struct random_ops *random, const char *top)
{
    char path[4096];
    char inner[4200];
    new_path(random, top, path, sizeof path);
    if (mkdir(path, 0700) != 0)
        return; /* something is there, perhaps a link that leads out of the workspace */
    for (int i = 0; i < 3; i++) {
        snprintf(inner, sizeof inner, "%s/x%d", path, i);
        const int fd = open(inner, O_CREAT | O_EXCL | O_WRONLY, 0);
        (void)!write(fd, "abc", 3);
        close(fd);
    }
    chmod(path, (mode_t)random_ops_draw(random, 2) * 0300);
}

static bool remove_all(const char *top, const char *path)
{
    struct err err = {0};
    const int fd = open(top, O_RDONLY | O_DIRECTORY);
    const bool ok = folder_remove(fd, path + strlen(top) + 1, &err);
    close(fd);
    return ok;
}

static void replace(struct random_ops *random, const char *top, const char *path)
{
    if (!remove_all(top, path))
        return;
    if (random_ops_draw(random, 2))
        (void)!symlink("/proc/self/task", path); /* a folder that nobody can damage by following */
    else
        close(open(path, O_CREAT | O_WRONLY, 0644));
}

static void attributes(struct random_ops *random, const char *path)
{
    const struct timespec times[] = {{.tv_sec = 1}, {.tv_sec = 2}};
    const mode_t mode = (mode_t)random_ops_draw(random, 01000);
    if (random_ops_draw(random, 3) == 0)
        utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW);
    else if (random_ops_draw(random, 3) == 0)
        lsetxattr(path, "user.a", "vandal", 6, 0);
    else
        fchmodat(AT_FDCWD, path, random_ops_draw(random, 3) ? mode : 0, AT_SYMLINK_NOFOLLOW);
}

bool vandal_strike(struct random_ops *random, const char *top)
{
    char fresh[4096];
    walk(top);
    new_path(random, top, fresh, sizeof fresh);
    const char *file = any(random, 'f');
    const char *thing = any(random, 'a');
    switch (random_ops_draw(random, file && thing ? 9 : 1)) {
    case 0:
        plant(random, top);
        return false;
    case 1:
    case 2:
        scribble(random, file);
        return false;
    case 3:
        return store(file);
    case 4:
        (void)!rename(thing, fresh);
        return false;
    case 5:
        (void)!link(file, fresh);
        return false;
    case 6:
        attributes(random, thing);
        return false;
    case 7:
        replace(random, top, thing);
        return false;
    default:
        remove_all(top, thing);
        return false;
    }
}
