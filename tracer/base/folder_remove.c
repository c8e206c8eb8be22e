#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "folder.h"
#include "own.h"

/* Somebody may still be adding entries while he is being killed: so many rounds, then give up. */
enum { ROUNDS_MAX = 100 };

/* Neither through a link nor into a mount: an entry that has become one of them is not ours. */
static int open_below(int parent, const char *name)
{
    const struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
                                 .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS};
    const long fd = syscall(SYS_openat2, parent, name, &how, sizeof how);
    if (fd >= 0 || errno != ENOSYS)
        return (int)fd;
    int plain OWN(own_fd) = openat(parent, name, (int)how.flags);
    struct stat inside;
    struct stat outside;
    if (plain < 0 || fstat(plain, &inside) < 0 || fstat(parent, &outside) < 0)
        return -1;
    if (inside.st_dev != outside.st_dev) {
        errno = EXDEV;
        return -1;
    }
    return own_take_fd(&plain);
}

static int open_unlocked(int parent, const char *name)
{
    const int fd = open_below(parent, name);
    if (fd >= 0 || errno != EACCES)
        return fd;
    if (fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW) < 0 && errno != ENOTSUP)
        return -1;
    struct stat status;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(status.st_mode) ||
        fchmodat(parent, name, 0700, 0) < 0)
        return -1;
    return open_below(parent, name);
}

/* Removes what is no directory, and empty directories. false: errno says why not. */
static bool remove_simple(int parent, const char *name)
{
    return unlinkat(parent, name, 0) == 0 || errno == ENOENT ||
           (errno == EISDIR && (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT));
}

static bool remove_entry(int parent, const char *name, struct err *err);

static bool remove_entries(int fd, const char *name, struct err *err)
{
    struct stat status;
    if (fstat(fd, &status) == 0 && (status.st_mode & 0700) != 0700 &&
        fchmod(fd, (status.st_mode & 07777) | 0700) < 0)
        return err_system(err, "make %s writable to remove what is in it", name);
    DIR *dir = fdopendir(dup(fd));
    if (!dir)
        return err_system(err, "read %s", name);
    bool is_done = true;
    for (const struct dirent *entry = readdir(dir); entry && is_done; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            is_done = remove_entry(fd, entry->d_name, err);
    }
    closedir(dir);
    return is_done;
}

static bool remove_entry(int parent, const char *name, struct err *err)
{
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (remove_simple(parent, name))
            return true;
        if (errno != ENOTEMPTY && errno != EEXIST)
            return err_system(err, "remove %s", name);
        const int fd OWN(own_fd) = open_unlocked(parent, name);
        if (fd < 0 && errno != ENOENT)
            return err_system(err, "remove %s", name);
        if (fd >= 0 && !remove_entries(fd, name, err))
            return err_while(err, "remove %.60s", name);
    }
    errno = ENOTEMPTY;
    return err_system(err, "remove %s", name);
}

bool folder_remove(int parent_fd, const char *name, struct err *err)
{
    return remove_entry(parent_fd, name, err);
}
