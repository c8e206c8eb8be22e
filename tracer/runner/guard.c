#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/base/log.h"
#include "tracer/base/own.h"

/* mmap of 32-bit programs: the second form has its arguments where x86-64 has them, the first one
 * in memory, where a filter cannot look. */
enum { MMAP2_32 = 192, MMAP_32 = 90, X32_BIT = 0x40000000 };

enum { ARG_FLAGS = 3, ARG_FD = 4 };

/* Bit 0 of the type is set in MAP_SHARED and MAP_SHARED_VALIDATE, and in no private type. */
static int install_filter(void)
{
    const unsigned flags_at = offsetof(struct seccomp_data, args[ARG_FLAGS]);
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap | X32_BIT, 4, 7),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_I386, 0, 6),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MMAP_32, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MMAP2_32, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags_at),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
    };
    const struct sock_fprog program = {.len = sizeof steps / sizeof *steps, .filter = steps};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                        &program);
}

void guard_install(struct guard *guard)
{
    guard->is_hit = false;
    /* Without privilege the kernel wants no_new_privs first, which would change what setuid
     * programs do in a command; comparing is slower, but changes nothing. */
    guard->fd = install_filter();
    if (guard->fd < 0)
        LOG(INFO, "no filter for shared mappings: %s", strerror(errno));
}

void guard_close(struct guard *guard)
{
    own_close_now(&guard->fd);
}

/* How the file was opened, from /proc; -1 when that cannot be found out. */
static int open_mode(pid_t pid, int fd)
{
    char path[64];
    char text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", pid, fd);
    const int info OWN(own_fd) = open(path, O_RDONLY | O_CLOEXEC);
    if (info < 0 || read(info, text, sizeof text - 1) <= 0)
        return -1;
    const char *flags = strstr(text, "flags:");
    return flags ? (int)strtol(flags + strlen("flags:"), NULL, 8) & O_ACCMODE : -1;
}

static bool is_ours_and_writable(const struct guard *guard, pid_t pid, int fd)
{
    if (!guard->trusts_proc || pid <= 0)
        return true;
    const int mode = open_mode(pid, fd);
    if (mode == O_RDONLY || mode == O_WRONLY)
        return false; /* O_WRONLY: mmap will refuse it */
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    return stat(path, &status) < 0 || status.st_dev == guard->devices[0] ||
           status.st_dev == guard->devices[1];
}

void guard_answer(struct guard *guard)
{
    struct seccomp_notif asked = {0};
    if (ioctl(guard->fd, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
        return; /* the process was killed meanwhile */
    const bool is_hidden = asked.data.arch == AUDIT_ARCH_I386 && asked.data.nr == MMAP_32;
    const int fd = (int)asked.data.args[ARG_FD];
    guard->is_hit = guard->is_hit || is_hidden || is_ours_and_writable(guard, (pid_t)asked.pid, fd);
    struct seccomp_notif_resp answer = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    if (ioctl(guard->fd, SECCOMP_IOCTL_NOTIF_SEND, &answer) < 0)
        LOG(DEBUG, "answer to mmap of %d: %s", asked.pid, strerror(errno));
}

bool guard_must_compare(const struct guard *guard)
{
    return guard->fd < 0 || guard->is_hit;
}

void guard_reset(struct guard *guard)
{
    guard->is_hit = false;
}
