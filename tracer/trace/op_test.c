#include "op.h"

#include <criterion/criterion.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>

Test(op, every_recorded_call_has_the_name_that_the_kernel_gives_it)
{
    unsigned named = 0;
    for (uint16_t call = 0; call < 512; call++) {
        const struct op op = {.call = call};
        const char *ours = op_call_name(&op);
        if (strcmp(ours, "unknown call") == 0)
            continue;
        named++;
        char *theirs = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, call);
        cr_expect(theirs == NULL || strcmp(ours, theirs) == 0, "call %u: %s, not %s", call, ours,
                  theirs);
        free(theirs);
    }
    cr_expect_gt(named, 100);
}

/* The list of calls that the design promises to record. */
Test(op, no_call_of_the_recording_is_without_a_name)
{
    static const char *const calls[] = {
        "write",
        "pwrite64",
        "writev",
        "pwritev",
        "pwritev2",
        "sendfile",
        "copy_file_range",
        "splice",
        "vmsplice",
        "tee",
        "ioctl",
        "ftruncate",
        "truncate",
        "fallocate",
        "open",
        "openat",
        "openat2",
        "creat",
        "dup",
        "dup2",
        "dup3",
        "fcntl",
        "close",
        "rename",
        "renameat",
        "renameat2",
        "link",
        "linkat",
        "unlink",
        "unlinkat",
        "mkdir",
        "mkdirat",
        "rmdir",
        "symlink",
        "symlinkat",
        "mknod",
        "mknodat",
        "chmod",
        "fchmod",
        "fchmodat",
        "chown",
        "fchown",
        "lchown",
        "fchownat",
        "setxattr",
        "lsetxattr",
        "fsetxattr",
        "removexattr",
        "lremovexattr",
        "fremovexattr",
        "utimensat",
        "fsync",
        "fdatasync",
        "sync",
        "syncfs",
        "msync",
        "sync_file_range",
        "mmap",
        "munmap",
        "mremap",
        "mprotect",
        "socket",
        "socketpair",
        "connect",
        "accept",
        "accept4",
        "sendto",
        "sendmsg",
        "sendmmsg",
        "recvfrom",
        "recvmsg",
        "recvmmsg",
        "shutdown",
        "fork",
        "vfork",
        "clone",
        "clone3",
        "execve",
        "execveat",
        "exit_group",
        "chdir",
        "fchdir",
        "open_by_handle_at",
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const int number = seccomp_syscall_resolve_name_arch(SCMP_ARCH_X86_64, calls[i]);
        const struct op op = {.call = (uint16_t)number};
        cr_expect_str_eq(op_call_name(&op), calls[i]);
    }
}

Test(op, what_no_call_did_has_a_name_too)
{
    const struct op store = {.kind = OP_STORE, .call = 26};
    const struct op start = {.kind = OP_START}, exec = {.kind = OP_EXEC}, end = {.kind = OP_EXIT};
    const struct op lock = {.kind = OP_LOCK}, unlock = {.kind = OP_UNLOCK};
    const struct op strange = {.call = UINT16_MAX};
    cr_expect_str_eq(op_call_name(&store), "store");
    cr_expect_str_eq(op_call_name(&start), "start");
    cr_expect_str_eq(op_call_name(&exec), "exec");
    cr_expect_str_eq(op_call_name(&end), "exit");
    cr_expect_str_eq(op_call_name(&lock), "lock");
    cr_expect_str_eq(op_call_name(&unlock), "unlock");
    cr_expect_str_eq(op_call_name(&strange), "unknown call");
}

Test(op, only_processes_and_locks_have_no_crash_points)
{
    for (int kind = 0; kind < OP_KIND_COUNT; kind++) {
        const struct op op = {.kind = (uint8_t)kind};
        const bool is_none = kind == OP_START || kind == OP_EXEC || kind == OP_EXIT ||
                             kind == OP_LOCK || kind == OP_UNLOCK;
        cr_expect_eq(op_is_crash_point(&op), !is_none, "kind %d", kind);
    }
}

Test(op, syncs_and_the_outside_change_no_workspace)
{
    static const enum op_kind changing[] = {
        OP_WRITE,  OP_STORE, OP_TRUNCATE, OP_ALLOCATE, OP_CREATE, OP_LINK,     OP_UNLINK,
        OP_RENAME, OP_CARRY, OP_CHMOD,    OP_CHOWN,    OP_TIMES,  OP_SETXATTR, OP_REMOVEXATTR};
    bool changes[OP_KIND_COUNT] = {0};
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
        changes[changing[i]] = true;
    for (int kind = 0; kind < OP_KIND_COUNT; kind++) {
        const struct op op = {.kind = (uint8_t)kind};
        cr_expect_eq(op_changes_workspace(&op), changes[kind], "kind %d", kind);
        cr_expect_eq(op_can_tear(&op), kind == OP_WRITE, "kind %d", kind);
    }
}
