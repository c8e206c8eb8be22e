#include "op.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "tracer/base/check.h"

#define CALL(name) [SYS_##name] = #name

/* Every call that a recording may show. Those that the C library's headers of Debian 12 do not know
 * yet stand as numbers, which the kernel never changes. */
static const char *const call_names[] = {
    CALL(read),
    CALL(write),
    CALL(pread64),
    CALL(pwrite64),
    CALL(readv),
    CALL(writev),
    CALL(preadv),
    CALL(pwritev),
    CALL(preadv2),
    CALL(pwritev2),
    CALL(sendfile),
    CALL(copy_file_range),
    CALL(splice),
    CALL(vmsplice),
    CALL(tee),
    CALL(ioctl),
    CALL(ftruncate),
    CALL(truncate),
    CALL(fallocate),
    CALL(open),
    CALL(openat),
    CALL(openat2),
    CALL(creat),
    CALL(open_by_handle_at),
    CALL(dup),
    CALL(dup2),
    CALL(dup3),
    CALL(fcntl),
    CALL(flock),
    CALL(close),
    CALL(close_range),
    CALL(rename),
    CALL(renameat),
    CALL(renameat2),
    CALL(link),
    CALL(linkat),
    CALL(unlink),
    CALL(unlinkat),
    CALL(mkdir),
    CALL(mkdirat),
    CALL(rmdir),
    CALL(symlink),
    CALL(symlinkat),
    CALL(mknod),
    CALL(mknodat),
    CALL(chmod),
    CALL(fchmod),
    CALL(fchmodat),
    [452] = "fchmodat2",
    CALL(chown),
    CALL(fchown),
    CALL(lchown),
    CALL(fchownat),
    CALL(setxattr),
    CALL(lsetxattr),
    CALL(fsetxattr),
    CALL(removexattr),
    CALL(lremovexattr),
    CALL(fremovexattr),
    [463] = "setxattrat",
    [466] = "removexattrat",
    CALL(utime),
    CALL(utimes),
    CALL(futimesat),
    CALL(utimensat),
    CALL(fsync),
    CALL(fdatasync),
    CALL(sync),
    CALL(syncfs),
    CALL(sync_file_range),
    CALL(msync),
    CALL(mmap),
    CALL(munmap),
    CALL(mremap),
    CALL(mprotect),
    CALL(brk),
    CALL(madvise),
    CALL(socket),
    CALL(socketpair),
    CALL(connect),
    CALL(bind),
    CALL(listen),
    CALL(accept),
    CALL(accept4),
    CALL(sendto),
    CALL(sendmsg),
    CALL(sendmmsg),
    CALL(recvfrom),
    CALL(recvmsg),
    CALL(recvmmsg),
    CALL(shutdown),
    CALL(fork),
    CALL(vfork),
    CALL(clone),
    CALL(clone3),
    CALL(execve),
    CALL(execveat),
    CALL(exit),
    CALL(exit_group),
    CALL(chdir),
    CALL(fchdir),
    CALL(chroot),
    CALL(pipe),
    CALL(pipe2),
    CALL(umask),
    CALL(io_setup),
    CALL(io_submit),
    CALL(io_uring_setup),
    CALL(io_uring_enter),
    CALL(memfd_create),
    CALL(mount),
    CALL(umount2),
    CALL(unshare),
    CALL(setns),
    CALL(pivot_root),
    CALL(process_vm_writev),
    CALL(ptrace),
    CALL(userfaultfd),
};

/* What no call of its own did, or several calls may have done. */
static const char *word_without_call(const struct op *op)
{
    switch (op->kind) {
    case OP_STORE:
        return "store";
    case OP_START:
        return "start";
    case OP_EXEC:
        return "exec";
    case OP_EXIT:
        return "exit";
    case OP_LOCK:
        return "lock";
    case OP_UNLOCK:
        return "unlock";
    default:
        return NULL;
    }
}

const char *op_call_name(const struct op *op)
{
    const char *word = word_without_call(op);
    if (word)
        return word;
    const size_t known = sizeof call_names / sizeof *call_names;
    const char *name = op->call < known ? call_names[op->call] : NULL;
    return name ? name : "unknown call";
}

bool op_is_crash_point(const struct op *op)
{
    CHECK(op->kind < OP_KIND_COUNT);
    return op->kind < OP_START;
}

bool op_changes_workspace(const struct op *op)
{
    CHECK(op->kind < OP_KIND_COUNT);
    return op->kind <= OP_REMOVEXATTR;
}

bool op_can_tear(const struct op *op)
{
    return op->kind == OP_WRITE;
}
