#include "harm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/check.h"
#include "tracer/base/folder.h"
#include "tracer/base/own.h"

/* Opens also what the permission bits forbid: they are put back with everything else. */
static int open_anyhow(int parent, const char *name, int flags)
{
    const int fd = openat(parent, name, flags | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 || errno != EACCES || fchmodat(parent, name, 0700, 0) < 0)
        return fd;
    return openat(parent, name, flags | O_NOFOLLOW | O_CLOEXEC);
}

static bool flip(int fd)
{
    struct stat status;
    unsigned char byte;
    if (fstat(fd, &status) < 0)
        return false;
    if (status.st_size == 0)
        return true;
    const off_t middle = status.st_size / 2;
    if (pread(fd, &byte, 1, middle) != 1)
        return false;
    byte = (unsigned char)~byte;
    return pwrite(fd, &byte, 1, middle) == 1;
}

static bool harm_file(int parent, const char *name, enum harm harm, struct err *err)
{
    const int fd OWN(own_fd) = open_anyhow(parent, name, O_RDWR);
    const bool is_done = fd >= 0 && (harm == HARM_FLIPPED ? flip(fd) : ftruncate(fd, 0) == 0);
    return is_done || err_system(err, "damage %s", name);
}

static bool harm_entry(int parent, const char *name, enum harm harm, struct err *err)
{
    struct stat status;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return true;
    if (harm == HARM_GONE)
        return folder_remove(parent, name, err);
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return err_system(err, "look at %s", name);
    if (S_ISREG(status.st_mode))
        return harm_file(parent, name, harm, err);
    if (!S_ISDIR(status.st_mode))
        return true;
    const int fd OWN(own_fd) = open_anyhow(parent, name, O_RDONLY | O_DIRECTORY);
    return fd < 0 ? err_system(err, "open %s", name) : harm_do(fd, harm, err);
}

bool harm_do(int dir_fd, enum harm harm, struct err *err)
{
    CHECK(harm != HARM_NONE);
    int own OWN(own_fd) = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    if (!dir)
        return err_system(err, "open a folder to damage it");
    own_take_fd(&own);
    bool is_done = true;
    for (const struct dirent *entry = readdir(dir); entry && is_done; entry = readdir(dir))
        is_done = harm_entry(dirfd(dir), entry->d_name, harm, err);
    closedir(dir);
    return is_done;
}
