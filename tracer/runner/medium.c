#include "medium.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tracer/base/own.h"

/* So many writes in a row: a clock that ticks every 1 to 4 ms cannot be ahead of all of them. */
enum { WRITES = 16, SOMEBODY = 1 };

static bool is_same_time(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool has_fine_times(int fd)
{
    struct stat before;
    struct stat after;
    if (fstat(fd, &before) < 0)
        return false;
    for (int i = 0; i < WRITES; i++) {
        if (pwrite(fd, "x", 1, 0) != 1 || fstat(fd, &after) < 0 || is_same_time(&before, &after))
            return false;
        before = after;
    }
    return true;
}

static bool can_chown(int fd)
{
    struct stat status;
    return fchown(fd, SOMEBODY, SOMEBODY) == 0 && fstat(fd, &status) == 0 &&
           status.st_uid == SOMEBODY;
}

bool medium_try(int dir_fd, struct medium *out, struct err *err)
{
    const char *name = ".brink-medium";
    const int fd OWN(own_fd) = openat(dir_fd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_system(err, "make a file in the slot");
    out->has_fine_times = has_fine_times(fd);
    out->has_xattrs = fsetxattr(fd, "user.brink", "x", 1, 0) == 0;
    out->can_chown = can_chown(fd);
    if (unlinkat(dir_fd, name, 0) < 0)
        return err_system(err, "remove a file in the slot");
    return true;
}
