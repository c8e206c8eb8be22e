/* calls.h - the handlers of all recorded calls, for the one table that lists them.
 *
 * To add a call: give it a line in the table; the filter stops whatever stands there. */
#ifndef PTRACE_CALLS_H
#define PTRACE_CALLS_H

#include "recorder.h"

#define CALL_ENTER(name)                                                                           \
    enum call_next name(struct recorder *recorder, struct tracee *tracee, struct err *err)
#define CALL_LEAVE(name)                                                                           \
    bool name(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)

CALL_ENTER(write_enter); /* write, pwrite64, writev, pwritev, pwritev2 */
CALL_LEAVE(write_leave);
CALL_ENTER(copy_enter); /* sendfile, copy_file_range, splice, tee, vmsplice, ioctl FICLONE... */
CALL_LEAVE(copy_leave);
CALL_ENTER(open_enter); /* open, openat, openat2, creat */
CALL_LEAVE(open_leave);
CALL_ENTER(open_handle_enter);
CALL_LEAVE(open_handle_leave);
CALL_ENTER(make_enter); /* mkdir, mknod, symlink and their at forms */
CALL_LEAVE(make_leave);
CALL_ENTER(link_enter);
CALL_LEAVE(link_leave);
CALL_ENTER(unlink_enter); /* unlink, rmdir, unlinkat */
CALL_LEAVE(unlink_leave);
CALL_ENTER(rename_enter);
CALL_LEAVE(rename_leave);
CALL_ENTER(size_enter); /* truncate, ftruncate, fallocate */
CALL_LEAVE(size_leave);
CALL_ENTER(attr_enter); /* chmod, chown, utime families */
CALL_LEAVE(attr_leave);
CALL_ENTER(xattr_enter);
CALL_LEAVE(xattr_leave);
CALL_ENTER(sync_enter); /* fsync, fdatasync, sync_file_range, sync, syncfs */
CALL_LEAVE(sync_leave);
CALL_ENTER(msync_enter);
CALL_LEAVE(msync_leave);
CALL_ENTER(mmap_enter); /* mmap of shared file mappings */
CALL_LEAVE(mmap_leave);
CALL_ENTER(unmap_enter); /* munmap, mremap */
CALL_LEAVE(unmap_leave);
CALL_ENTER(exec_enter); /* only where stores must be collected before the memory goes */
CALL_LEAVE(exec_leave);
CALL_ENTER(socket_enter); /* socket, socketpair, accept, accept4 */
CALL_LEAVE(socket_leave);
CALL_ENTER(connect_enter);
CALL_LEAVE(connect_leave);
CALL_ENTER(bind_enter); /* bind, listen */
CALL_LEAVE(bind_leave);
CALL_ENTER(send_enter); /* sendto, sendmsg, sendmmsg */
CALL_LEAVE(send_leave);
CALL_ENTER(receive_enter); /* read, readv, preadv, recvfrom, recvmsg, recvmmsg */
CALL_LEAVE(receive_leave);
CALL_ENTER(shutdown_enter);
CALL_LEAVE(shutdown_leave);
CALL_ENTER(close_enter); /* close, close_range, dup2, dup3 of a socket */
CALL_LEAVE(close_leave);
CALL_ENTER(lock_enter); /* fcntl's locks, flock */
CALL_LEAVE(lock_leave);
CALL_ENTER(clone_enter);  /* takes away the wish not to be traced */
CALL_ENTER(refuse_enter); /* io_uring_setup, io_setup: answered ENOSYS */

#endif
