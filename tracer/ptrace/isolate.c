#include "isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static bool write_file(const char *path, const char *text, struct err *err)
{
    const int fd OWN(own_fd) = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return err_system(err, "open %s", path);
    if (write(fd, text, strlen(text)) < 0)
        return err_system(err, "write to %s", path);
    return true;
}

/* The user is mapped to himself. An ordinary user may do that only for his own ids, and for the
 * group only after having given up setgroups (Linux 3.19). */
static bool map_self(uid_t uid, gid_t gid, struct err *err)
{
    char line[64];
    struct err ignored = {0};
    if (!write_file("/proc/self/setgroups", "deny", &ignored) && ignored.os_errno != ENOENT)
        return err_usage(err, "user namespace: %s", ignored.text);
    snprintf(line, sizeof line, "%u %u 1\n", uid, uid);
    if (!write_file("/proc/self/uid_map", line, err))
        return false;
    snprintf(line, sizeof line, "%u %u 1\n", gid, gid);
    return write_file("/proc/self/gid_map", line, err);
}

static int kernel_flags(unsigned flags)
{
    return (flags & ISOLATE_MOUNT ? CLONE_NEWNS : 0) | (flags & ISOLATE_NET ? CLONE_NEWNET : 0) |
           (flags & ISOLATE_PID ? CLONE_NEWPID : 0) | (flags & ISOLATE_IPC ? CLONE_NEWIPC : 0);
}

bool isolate_enter(unsigned flags, struct err *err)
{
    const uid_t uid = geteuid();
    const gid_t gid = getegid();
    /* Root without the capability (in a container) goes the way of an ordinary user. */
    if (uid != 0 || unshare(kernel_flags(flags)) < 0) {
        if (uid == 0 && errno != EPERM)
            return err_system(err, "enter new namespaces");
        if (unshare(CLONE_NEWUSER | kernel_flags(flags)) < 0)
            return err_system(err, "enter new namespaces");
        if (!map_self(uid, gid, err))
            return false;
    }
    /* Slave, not private: what the machine unmounts meanwhile is not kept busy by us. */
    if ((flags & ISOLATE_MOUNT) && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return err_system(err, "make mounts private");
    return true;
}

bool isolate_bind(int dir_fd, const char *path, struct err *err)
{
    /* The descriptor belongs to a mount of the old namespace, which cannot be bound (EINVAL); the
     * same directory is found by its path in the new one. */
    char link[64];
    char target[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir_fd);
    const ssize_t size = readlink(link, target, sizeof target - 1);
    if (size < 0)
        return err_system(err, "find the path of the directory to mount at %s", path);
    target[size] = '\0';
    /* Recursive: in a user namespace a mount may not be parted from those below it. */
    if (mount(target, path, NULL, MS_BIND | MS_REC, NULL) < 0)
        return err_system(err, "mount %s at %s", target, path);
    struct stat wanted;
    struct stat got;
    if (fstat(dir_fd, &wanted) < 0 || stat(path, &got) < 0)
        return err_system(err, "look at %s, mounted at %s", target, path);
    if (wanted.st_dev != got.st_dev || wanted.st_ino != got.st_ino) {
        errno = ESTALE;
        return err_system(err, "mount %s at %s: another directory has its name", target, path);
    }
    return true;
}

bool isolate_tmpfs(const char *path, struct err *err)
{
    if (mount("tmpfs", path, "tmpfs", 0, "mode=0700,nr_inodes=0") < 0)
        return err_system(err, "mount a memory file system at %s", path);
    return true;
}

bool isolate_proc(struct err *err)
{
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
        return err_system(err, "mount /proc");
    return true;
}

bool isolate_loopback(struct err *err)
{
    const int fd OWN(own_fd) = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return err_system(err, "open a socket");
    struct ifreq request = {.ifr_name = "lo"};
    if (ioctl(fd, SIOCGIFFLAGS, &request) < 0)
        return err_system(err, "look at the loopback interface");
    request.ifr_flags = (short)(request.ifr_flags | IFF_UP | IFF_RUNNING);
    if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
        return err_system(err, "bring the loopback interface up");
    return true;
}
