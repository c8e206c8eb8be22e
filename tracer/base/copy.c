#include "copy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "mem.h"
#include "own.h"

enum { COPY_BUFFER = 1 << 20 };

static bool write_all(int to, const char *bytes, size_t size, off_t at)
{
    while (size > 0) {
        const ssize_t done = pwrite(to, bytes, size, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        bytes += done;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

/* For file systems between which the kernel cannot copy by itself. */
static bool copy_by_hand(int from, int to, off_t at, off_t end)
{
    char *buffer OWN(own_mem) = mem_new(1, COPY_BUFFER);
    while (at < end) {
        const size_t wanted = end - at < COPY_BUFFER ? (size_t)(end - at) : COPY_BUFFER;
        const ssize_t got = pread(from, buffer, wanted, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || !write_all(to, buffer, (size_t)got, at))
            return false;
        if (got == 0)
            return true; /* it has become shorter meanwhile */
        at += got;
    }
    return true;
}

static bool copy_range(int from, int to, off_t at, off_t end)
{
    while (at < end) {
        off_t in = at;
        off_t out = at;
        const ssize_t done = copy_file_range(from, &in, to, &out, (size_t)(end - at), 0);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return copy_by_hand(from, to, at, end);
        at += done;
    }
    return true;
}

bool copy_content(int from, int to, const char *path, struct err *err)
{
    struct stat status;
    if (fstat(from, &status) < 0)
        return err_system(err, "look at %s", path);
    if (ioctl(to, FICLONE, from) == 0)
        return true;
    if (ftruncate(to, status.st_size) < 0)
        return err_system(err, "make a copy of %s", path);
    off_t at = 0;
    while (at < status.st_size) {
        const off_t data = lseek(from, at, SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            return true; /* nothing but a hole up to the end */
        const off_t hole = data < 0 ? -1 : lseek(from, data, SEEK_HOLE);
        const off_t start = data < 0 ? at : data;
        const off_t end = hole < 0 ? status.st_size : hole;
        if (!copy_range(from, to, start, end))
            return err_system(err, "copy %s", path);
        at = end;
    }
    return true;
}

/* Those that the user may not set, or that the file system does not take, are left out. */
static void copy_xattrs(int from, int to)
{
    const ssize_t size = flistxattr(from, NULL, 0);
    if (size <= 0)
        return;
    char *names OWN(own_mem) = mem_new(1, (size_t)size);
    const ssize_t listed = flistxattr(from, names, (size_t)size);
    for (const char *name = names; name < names + listed; name += strlen(name) + 1) {
        const ssize_t length = fgetxattr(from, name, NULL, 0);
        if (length < 0)
            continue;
        char *value OWN(own_mem) = mem_new(1, (size_t)length + 1);
        const ssize_t got = fgetxattr(from, name, value, (size_t)length);
        if (got >= 0 && fsetxattr(to, name, value, (size_t)got, 0) < 0)
            continue;
    }
}

bool copy_attributes(int from, int to, const struct stat *status, const char *path, struct err *err)
{
    if (fchown(to, status->st_uid, status->st_gid) < 0 && errno != EPERM && errno != EINVAL)
        return err_system(err, "set the owner of the copy of %s", path);
    copy_xattrs(from, to);
    if (fchmod(to, status->st_mode & 07777) < 0)
        return err_system(err, "set the permissions of the copy of %s", path);
    const struct timespec times[2] = {status->st_atim, status->st_mtim};
    if (futimens(to, times) < 0)
        return err_system(err, "set the times of the copy of %s", path);
    return true;
}
