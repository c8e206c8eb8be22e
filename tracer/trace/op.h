/* op.h - one recorded system call that changed files, names, durability or the outside world.
 *
 * An op is what the kernel did, not what the worker asked for: descriptors, working directories,
 * links and offsets are already resolved to nodes (inodes) and absolute file offsets, and sizes are
 * the accepted ones. So a state can be built from ops and nothing else. The few facts of the
 * request that later parts need (the call, flags, the thread, return addresses) stand beside it.
 *
 * Nodes are numbered in order of their first appearance; NODE_ROOT is the workspace directory
 * itself. A number is never reused, although the kernel reuses inode numbers.
 *
 * A call with several effects (a store through a mapping that dirtied three pages, a folder renamed
 * in from outside) is several ops: all but the last carry OP_MORE, and no crash point lies between
 * them. */
#ifndef TRACE_OP_H
#define TRACE_OP_H

#include <stdbool.h>
#include <stdint.h>

enum { NODE_NONE = 0, NODE_ROOT = 1 };

enum op_kind {
    /* Content. */
    OP_WRITE,    /* node: payload at offset */
    OP_STORE,    /* as OP_WRITE, one page or less, stored through a shared mapping; the ops of one
                    group (OP_MORE) have no order among themselves */
    OP_TRUNCATE, /* node: size */
    OP_ALLOCATE, /* node: fallocate(mode, offset, size) */
    /* Names. dir/name: where. */
    OP_CREATE, /* a new node of type and permission bits mode, owner uid and gid; payload: target of
                  a symbolic link; size: st_rdev of a device node.
                  dir NODE_NONE: no name yet (O_TMPFILE) */
    OP_LINK,   /* node gets dir/name as well; path: that name, path2: the old one, where known */
    OP_UNLINK, /* dir/name goes (unlink and rmdir); node: what it was */
    OP_RENAME, /* dir/name becomes dir2/name2; node: what moves; node2: what it replaces, or what
                  it is exchanged with when call_flags has RENAME_EXCHANGE. (The device that
                  RENAME_WHITEOUT leaves behind is an OP_CREATE of its own, after this.) */
    OP_CARRY,  /* dir/name leaves the workspace (renamed to outside); node: what it was */
    /* Attributes. */
    OP_CHMOD,       /* node: mode (permission bits) */
    OP_CHOWN,       /* node: uid, gid; UINT32_MAX: unchanged */
    OP_TIMES,       /* node: offset: atime, size: mtime, in ns since 1970; UINT64_MAX: unchanged */
    OP_SETXATTR,    /* node: name; payload: value */
    OP_REMOVEXATTR, /* node: name */
    /* Durability. enter: see below. */
    OP_SYNC,       /* node: fsync, fdatasync (mode says which: its number is in call) */
    OP_SYNC_RANGE, /* node: sync_file_range(offset, size, flags) */
    OP_SYNC_MAP,   /* node: msync(offset, size in the file, flags) */
    OP_SYNC_ALL,   /* sync, syncfs */
    /* The outside. */
    OP_OUTPUT,   /* payload to what is no file of the workspace and no socket: path says what.
                    OP_ACKED: to the open file description that was fd 1 at the start */
    OP_CONNECT,  /* a connection to or from the outside: node: its number; path: the peer */
    OP_SEND,     /* payload sent on connection node; path: the peer */
    OP_RECEIVE,  /* payload received on connection node; size 0 and no payload: its end */
    OP_SHUTDOWN, /* connection node: shutdown, or its last close */
    /* Processes. No crash point of their own. */
    OP_START, /* a thread or process: thread is the new one, size its parent's number */
    OP_EXEC,  /* path: the program */
    OP_EXIT,  /* size: wait status */
    /* Locks on files, where the recording was asked for them. No crash point, for they die with the
       process. */
    OP_LOCK,   /* node: offset, size (0: to the end) is locked; call_flags: F_RDLCK or F_WRLCK */
    OP_UNLOCK, /* node: is given back, by an unlock, a close or the end of the process */
    OP_KIND_COUNT
};

enum op_flags {
    OP_MORE = 1 << 0,   /* the next op belongs to the same call */
    OP_ACKED = 1 << 1,  /* see OP_OUTPUT */
    OP_DSYNC = 1 << 2,  /* O_DSYNC or RWF_DSYNC: data is durable at return */
    OP_FSYNC = 1 << 3,  /* O_SYNC or RWF_SYNC: data and attributes are */
    OP_APPEND = 1 << 4, /* the offset came from O_APPEND */
    OP_DIRECT = 1 << 5, /* O_DIRECT */
    OP_VECTOR = 1 << 6, /* writev and its kin: several buffers, one stream */
};

struct op {
    uint64_t payload;      /* where its bytes lie in the trace's payload file */
    uint64_t payload_size; /* how many; 0: none */
    uint64_t offset;       /* in bytes, in the file */
    uint64_t size;
    int64_t time_ns; /* when it was done, since 1970 */
    uint32_t enter;  /* number of ops that were complete when the call was entered. What a sync
                        covers ends there; what it promises holds from its own place on */
    uint32_t thread; /* number in the trace's table of threads */
    uint32_t node, node2;
    uint32_t dir, dir2;
    uint32_t name, name2; /* numbers in the trace's strings */
    uint32_t path, path2; /* for people: the path at that time, relative to the workspace, or what
                             the outside thing is: "stdout", "tcp 127.0.0.1:80", "/var/log/x" */
    uint32_t stack;       /* number in the trace's table of stacks; 0: not captured */
    uint32_t mode;
    uint32_t uid, gid;
    uint32_t call_flags; /* rename, fallocate, msync ... flags as the worker gave them */
    int32_t error;       /* errno of a failed sync; other failed calls are no ops */
    uint16_t flags;      /* enum op_flags */
    uint16_t call;       /* number of the system call (x86-64), for its name */
    uint8_t kind;        /* enum op_kind */
};

/* "write", "openat": the name of the op's system call; "store", "start", "exec", "exit", "lock",
 * "unlock" for the ops of these kinds. Static. */
const char *op_call_name(const struct op *op);

/* Whether a crash right after the op differs from one right before it in anything at all that a
 * model or a promise looks at: files, names, durability, the outside. Processes and locks do not.
 */
bool op_is_crash_point(const struct op *op);

/* Whether the op changes what is in the workspace. */
bool op_changes_workspace(const struct op *op);

/* Whether the op can stop part-way: OP_WRITE. (Stores tear by pages and sectors instead.) */
bool op_can_tear(const struct op *op);

#endif
