#include "call.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "calls.h"
#include "place.h"
#include "tracer/base/own.h"

/* Younger than the kernel headers that we are built with. */
enum { NR_FCHMODAT2 = 452, NR_SETXATTRAT = 463, NR_REMOVEXATTRAT = 466 };

/* nr, handlers, whether serial, then the arguments: directory descriptor; path or descriptor;
 * flags or mode. */
static const struct call_handler HANDLERS[] = {
    {SYS_write, write_enter, write_leave, true, -1, 0, -1},
    {SYS_pwrite64, write_enter, write_leave, true, -1, 0, -1},
    {SYS_writev, write_enter, write_leave, true, -1, 0, -1},
    {SYS_pwritev, write_enter, write_leave, true, -1, 0, -1},
    {SYS_pwritev2, write_enter, write_leave, true, -1, 0, 5},
    {SYS_sendfile, copy_enter, copy_leave, true, -1, 0, -1},
    {SYS_copy_file_range, copy_enter, copy_leave, true, -1, 2, -1},
    {SYS_splice, copy_enter, copy_leave, true, -1, 2, -1},
    {SYS_tee, copy_enter, copy_leave, true, -1, 1, -1},
    {SYS_vmsplice, copy_enter, copy_leave, true, -1, 0, -1},
    {SYS_ioctl, copy_enter, copy_leave, true, -1, 0, -1},

    {SYS_open, open_enter, open_leave, true, -1, 0, 1},
    {SYS_openat, open_enter, open_leave, true, 0, 1, 2},
    {SYS_openat2, open_enter, open_leave, true, 0, 1, 2},
    {SYS_creat, open_enter, open_leave, true, -1, 0, -1},
    {SYS_open_by_handle_at, open_handle_enter, open_handle_leave, true, -1, -1, 2},

    {SYS_mkdir, make_enter, make_leave, true, -1, 0, -1},
    {SYS_mkdirat, make_enter, make_leave, true, 0, 1, -1},
    {SYS_mknod, make_enter, make_leave, true, -1, 0, -1},
    {SYS_mknodat, make_enter, make_leave, true, 0, 1, -1},
    {SYS_symlink, make_enter, make_leave, true, -1, 1, -1},
    {SYS_symlinkat, make_enter, make_leave, true, 1, 2, -1},
    {SYS_link, link_enter, link_leave, true, -1, -1, -1},
    {SYS_linkat, link_enter, link_leave, true, -1, -1, 4},
    {SYS_unlink, unlink_enter, unlink_leave, true, -1, 0, -1},
    {SYS_rmdir, unlink_enter, unlink_leave, true, -1, 0, -1},
    {SYS_unlinkat, unlink_enter, unlink_leave, true, 0, 1, -1},
    {SYS_rename, rename_enter, rename_leave, true, -1, -1, -1},
    {SYS_renameat, rename_enter, rename_leave, true, -1, -1, -1},
    {SYS_renameat2, rename_enter, rename_leave, true, -1, -1, 4},

    {SYS_truncate, size_enter, size_leave, true, -1, 0, -1},
    {SYS_ftruncate, size_enter, size_leave, true, -1, 0, -1},
    {SYS_fallocate, size_enter, size_leave, true, -1, 0, 1},

    {SYS_chmod, attr_enter, attr_leave, true, -1, 0, -1},
    {SYS_fchmod, attr_enter, attr_leave, true, 0, -1, -1},
    {SYS_fchmodat, attr_enter, attr_leave, true, 0, 1, -1},
    {NR_FCHMODAT2, attr_enter, attr_leave, true, 0, 1, 3},
    {SYS_chown, attr_enter, attr_leave, true, -1, 0, -1},
    {SYS_lchown, attr_enter, attr_leave, true, -1, 0, -1},
    {SYS_fchown, attr_enter, attr_leave, true, 0, -1, -1},
    {SYS_fchownat, attr_enter, attr_leave, true, 0, 1, 4},
    {SYS_utime, attr_enter, attr_leave, true, -1, 0, -1},
    {SYS_utimes, attr_enter, attr_leave, true, -1, 0, -1},
    {SYS_futimesat, attr_enter, attr_leave, true, 0, 1, -1},
    {SYS_utimensat, attr_enter, attr_leave, true, 0, 1, 3},

    {SYS_setxattr, xattr_enter, xattr_leave, true, -1, 0, -1},
    {SYS_lsetxattr, xattr_enter, xattr_leave, true, -1, 0, -1},
    {SYS_fsetxattr, xattr_enter, xattr_leave, true, 0, -1, -1},
    {NR_SETXATTRAT, xattr_enter, xattr_leave, true, 0, 1, 2},
    {SYS_removexattr, xattr_enter, xattr_leave, true, -1, 0, -1},
    {SYS_lremovexattr, xattr_enter, xattr_leave, true, -1, 0, -1},
    {SYS_fremovexattr, xattr_enter, xattr_leave, true, 0, -1, -1},
    {NR_REMOVEXATTRAT, xattr_enter, xattr_leave, true, 0, 1, 2},

    {SYS_fsync, sync_enter, sync_leave, false, -1, 0, -1},
    {SYS_fdatasync, sync_enter, sync_leave, false, -1, 0, -1},
    {SYS_sync_file_range, sync_enter, sync_leave, false, -1, 0, 3},
    {SYS_sync, sync_enter, sync_leave, false, -1, -1, -1},
    {SYS_syncfs, sync_enter, sync_leave, false, -1, 0, -1},
    {SYS_msync, msync_enter, msync_leave, false, -1, -1, 2},

    {SYS_mmap, mmap_enter, mmap_leave, true, -1, 4, -1},
    {SYS_munmap, unmap_enter, unmap_leave, true, -1, -1, -1},
    {SYS_mremap, unmap_enter, unmap_leave, true, -1, -1, -1},
    {SYS_execve, exec_enter, exec_leave, false, -1, -1, -1},
    {SYS_execveat, exec_enter, exec_leave, false, -1, -1, -1},

    {SYS_socket, socket_enter, socket_leave, false, -1, -1, -1},
    {SYS_socketpair, socket_enter, socket_leave, false, -1, -1, -1},
    {SYS_accept, socket_enter, socket_leave, false, -1, 0, -1},
    {SYS_accept4, socket_enter, socket_leave, false, -1, 0, -1},
    {SYS_connect, connect_enter, connect_leave, false, -1, 0, -1},
    {SYS_bind, bind_enter, bind_leave, true, -1, 0, -1},
    {SYS_listen, bind_enter, bind_leave, false, -1, 0, -1},
    {SYS_sendto, send_enter, send_leave, false, -1, 0, 3},
    {SYS_sendmsg, send_enter, send_leave, false, -1, 0, 2},
    {SYS_sendmmsg, send_enter, send_leave, false, -1, 0, 3},
    {SYS_shutdown, shutdown_enter, shutdown_leave, false, -1, 0, -1},
    {SYS_read, receive_enter, receive_leave, false, -1, 0, -1},
    {SYS_readv, receive_enter, receive_leave, false, -1, 0, -1},
    {SYS_preadv, receive_enter, receive_leave, false, -1, 0, -1},
    {SYS_preadv2, receive_enter, receive_leave, false, -1, 0, -1},
    {SYS_recvfrom, receive_enter, receive_leave, false, -1, 0, 3},
    {SYS_recvmsg, receive_enter, receive_leave, false, -1, 0, 2},
    {SYS_recvmmsg, receive_enter, receive_leave, false, -1, 0, 3},
    {SYS_close, close_enter, close_leave, false, -1, 0, -1},
    {SYS_close_range, close_enter, close_leave, false, -1, -1, -1},
    {SYS_dup2, close_enter, close_leave, false, -1, 1, -1},
    {SYS_dup3, close_enter, close_leave, false, -1, 1, -1},

    {SYS_fcntl, lock_enter, lock_leave, false, -1, 0, -1},
    {SYS_flock, lock_enter, lock_leave, false, -1, 0, -1},

    {SYS_clone, clone_enter, NULL, false, -1, -1, -1},
    {SYS_clone3, clone_enter, NULL, false, -1, -1, -1},

    {SYS_io_uring_setup, refuse_enter, NULL, false, -1, -1, -1},
    {SYS_io_setup, refuse_enter, NULL, false, -1, -1, -1},
};

void call_init(struct call *call)
{
    *call = (struct call){.fd = -1, .from.walk.dir_fd = -1, .to.walk.dir_fd = -1};
}

void call_fini(struct call *call)
{
    own_close_now(&call->fd);
    place_fini(&call->from);
    place_fini(&call->to);
}

const struct call_handler *call_table(size_t *count)
{
    *count = sizeof HANDLERS / sizeof *HANDLERS;
    return HANDLERS;
}

const struct call_handler *call_find(long nr)
{
    /* Filled once, in the order of numbers; the compiler cannot do it from a list. */
    static const struct call_handler *by_nr[512];
    if (by_nr[SYS_write] == NULL) {
        for (size_t i = 0; i < sizeof HANDLERS / sizeof *HANDLERS; i++)
            by_nr[HANDLERS[i].nr] = &HANDLERS[i];
    }
    return nr >= 0 && nr < 512 ? by_nr[nr] : NULL;
}
