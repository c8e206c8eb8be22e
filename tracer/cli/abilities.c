#include "abilities.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tracer/base/attr.h"
#include "tracer/base/own.h"

/* What the headers of Debian 12 (Linux 6.1) do not know yet. */
enum { MGTIME_TRIES = 16, SET_SYSCALL_INFO = 0x4212 };
#define FEATURE_WP_ASYNC (UINT64_C(1) << 15)
struct scan_argument {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define PAGEMAP_SCAN_REQUEST _IOWR('f', 16, struct scan_argument)

static bool has_pagemap_scan(void)
{
    const int fd OWN(own_fd) = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    struct scan_argument argument = {.size = sizeof argument};
    /* An empty range: nothing is scanned, and only a kernel that does not know the request fails.
     */
    return fd >= 0 && ioctl(fd, PAGEMAP_SCAN_REQUEST, &argument) >= 0;
}

bool ability_uffd(void)
{
    const int fd OWN(own_fd) =
        (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
    struct uffdio_api api = {.api = UFFD_API, .features = FEATURE_WP_ASYNC};
    return fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 && has_pagemap_scan();
}

bool ability_mgtime(void)
{
    const int fd OWN(own_fd) = memfd_create("brink", MFD_CLOEXEC);
    struct stat before = {0};
    if (fd < 0 || fstat(fd, &before) != 0)
        return false;
    for (int i = 0; i < MGTIME_TRIES; i++) {
        struct stat after = {0};
        if (pwrite(fd, "x", 1, 0) != 1 || fstat(fd, &after) != 0)
            return false;
        if (after.st_mtim.tv_nsec == before.st_mtim.tv_nsec &&
            after.st_mtim.tv_sec == before.st_mtim.tv_sec)
            return false;
        before = after;
    }
    return true;
}

/* A stopped child that we trace; -1 when that is forbidden. */
static pid_t stopped_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            raise(SIGSTOP);
        _exit(0);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status))
        return child;
    return -1;
}

bool ability_setinfo(void)
{
    const pid_t child = stopped_child();
    if (child < 0)
        return false;
    /* An unknown request is EIO; a known one first dislikes the size that we give. */
    errno = 0;
    const bool is_known =
        syscall(SYS_ptrace, (long)SET_SYSCALL_INFO, (long)child, 0L, 0L) != 0 && errno == EINVAL;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return is_known;
}

bool ability_tmpfs(void)
{
    char path[64];
    const int fd OWN(own_fd) = memfd_create("brink", MFD_CLOEXEC);
    if (fd < 0 || fsetxattr(fd, "user.brink", "x", 1, 0) != 0)
        return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const int direct OWN(own_fd) = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    return direct >= 0;
}

bool ability_kcmp(void)
{
    const pid_t self = getpid();
    return syscall(SYS_kcmp, (long)self, (long)self, (long)KCMP_FILE, 2L, 2L) == 0;
}
