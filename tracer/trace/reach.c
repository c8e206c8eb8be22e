#include "reach.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODE = 07777 };

/* A FIFO must not hang us, should one stand where a file was a moment ago. */
static int try_open(int dir_fd, const char *name, int flags)
{
    return openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags);
}

static bool open_widened(int dir_fd, const char *name, int flags, struct reach *out)
{
    struct stat stat;
    if (fstatat(dir_fd, name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    const mode_t wide = S_ISDIR(stat.st_mode) ? S_IRWXU : S_IRUSR;
    if (S_ISLNK(stat.st_mode) || fchmodat(dir_fd, name, (stat.st_mode & MODE) | wide, 0) != 0)
        return false;
    const int fd = try_open(dir_fd, name, flags);
    if (fd < 0) {
        const int why = errno;
        const int back = fchmodat(dir_fd, name, stat.st_mode & MODE, 0);
        (void)back; /* it did a moment ago; the first failure is the one to tell */
        errno = why;
        return false;
    }
    *out = (struct reach){.fd = fd, .mode = stat.st_mode & MODE, .is_widened = true};
    return true;
}

static bool reach_open(int dir_fd, const char *name, int flags, struct reach *out)
{
    const int fd = try_open(dir_fd, name, flags);
    if (fd >= 0)
        *out = (struct reach){.fd = fd};
    return fd >= 0 || (errno == EACCES && open_widened(dir_fd, name, flags, out));
}

bool reach_file(int dir_fd, const char *name, struct reach *out, struct err *err)
{
    return reach_open(dir_fd, name, 0, out) || err_system(err, "open %s", name);
}

/* An open folder may still not be searched: that takes the x bit at each lookup. */
static bool widen_folder(int fd, struct reach *out)
{
    struct stat stat;
    *out = (struct reach){.fd = fd};
    if (geteuid() == 0)
        return true;
    if (fstat(fd, &stat) != 0)
        return false;
    const mode_t need = S_IRUSR | S_IXUSR;
    if (stat.st_uid != geteuid() || (stat.st_mode & need) == need)
        return true;
    if (fchmod(fd, (stat.st_mode & MODE) | S_IRWXU) != 0)
        return false;
    out->mode = stat.st_mode & MODE;
    out->is_widened = true;
    return true;
}

bool reach_folder(int dir_fd, const char *name, struct reach *out, struct err *err)
{
    struct reach reach = {.fd = -1};
    if (!name) {
        reach.fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    } else if (!reach_open(dir_fd, name, O_DIRECTORY, &reach)) {
        return err_system(err, "open the folder %s", name);
    }
    if (reach.fd < 0)
        return err_system(err, "open a folder");
    if (!reach.is_widened && !widen_folder(reach.fd, &reach)) {
        reach_close(&reach);
        return err_system(err, "open the folder %s", name ? name : "");
    }
    *out = reach;
    return true;
}

void reach_close(struct reach *reach)
{
    const int saved = errno;
    if (reach->fd >= 0 && reach->is_widened) {
        const int back = fchmod(reach->fd, reach->mode);
        (void)back; /* we own it, so only a file system that just failed refuses */
    }
    if (reach->fd >= 0)
        close(reach->fd);
    reach->fd = -1;
    errno = saved;
}
