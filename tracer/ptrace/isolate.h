/* isolate.h - private namespaces for the worker, and for the places where states are tried.
 *
 * All of it works as an ordinary user where the machine allows user namespaces: the user is mapped
 * to himself, so files keep their owner and programs see no difference. To be called in a forked
 * child that has one thread: namespaces belong to the process. */
#ifndef PTRACE_ISOLATE_H
#define PTRACE_ISOLATE_H

#include <stdint.h>

#include "tracer/base/err.h"

enum isolate_flags {
    ISOLATE_MOUNT = 1 << 0, /* mounts are private from now on; always needed for the next */
    ISOLATE_NET = 1 << 1,   /* a network of its own; isolate_loopback brings it up */
    ISOLATE_PID = 1 << 2,   /* the next child is pid 1 of its own, and must mount /proc */
    ISOLATE_IPC = 1 << 3,
};

/* Enters new namespaces; with a user namespace when the caller is not root. */
MUST_USE bool isolate_enter(unsigned flags, struct err *err);

/* Mounts the directory open as dir_fd (reachable before isolate_enter) at an absolute path, which
 * must be a directory. */
MUST_USE bool isolate_bind(int dir_fd, const char *path, struct err *err);

/* Mounts an empty memory file system at path, writable by its owner only. */
MUST_USE bool isolate_tmpfs(const char *path, struct err *err);

/* Mounts /proc for the own pid namespace. */
MUST_USE bool isolate_proc(struct err *err);

MUST_USE bool isolate_loopback(struct err *err);

/* What the machine allows, tried in a child process; `why` says what is missing, for users, with
 * the setting that forbids it where that is known. */
struct isolate_abilities {
    bool has_mount, has_net, has_pid, has_ptrace, has_seccomp;
    char why[200];
};
void isolate_probe(struct isolate_abilities *out);

#endif
