/* files.h - what a descriptor of a traced thread is, by the kernel's own word.
 *
 * Descriptors are not modelled: dup, close, exec, fork, passing over sockets and unshared tables
 * would all have to be followed. Each use asks the kernel instead: a descriptor of ours on
 * /proc/TID/fdinfo/FD stays open and gives position, flags, mount and inode in one read, and what
 * these stand for is remembered. */
#ifndef PTRACE_FILES_H
#define PTRACE_FILES_H

#include <stdint.h>
#include <sys/types.h>

#include "nodes.h"

enum file_kind {
    FILE_NODE,    /* of the workspace: node */
    FILE_SOCKET,  /* ino tells which */
    FILE_OUTSIDE, /* what is written here can be seen outside: path */
    FILE_NOTHING, /* neither: pipes inside the worker, /dev/null, eventfds ... */
};

struct file {
    enum file_kind kind;
    uint32_t node;
    uint64_t dev, ino;
    uint32_t mode; /* st_mode: type and permission bits when first seen */
    uint64_t position;
    unsigned flags;    /* O_APPEND and so on, as open gave and fcntl set them */
    bool is_acked;     /* the open file description that was fd 1 at the start */
    bool is_inherited; /* the description is the worker's first stdout or stderr */
    uint32_t path;     /* string; not for FILE_NODE and FILE_SOCKET */
};

struct files;

struct files_options {
    int stdout_fd, stderr_fd; /* our own descriptors of what the worker got as 1 and 2 */
    const char *workspace;    /* as the worker sees it */
};
struct files *files_new(struct nodes *nodes, const struct files_options *options);
void files_free(struct files *files);

/* The pipes and sockets that the process has now came from outside. Called once, at its start. */
void files_inherit(struct files *files, pid_t pid);

/* false: not open in the thread, so that its call will fail. */
bool files_get(struct files *files, pid_t tid, int fd, struct file *out);

/* Opens the thread's file once more, for reading; -1 and errno. */
int files_reopen(pid_t tid, int fd);

/* Whether two descriptors of two processes are one open file description. false as well when the
 * kernel cannot tell. */
bool files_are_one(pid_t a, int fd_a, pid_t b, int fd_b);

static inline bool file_is_writable(const struct file *file)
{
    return (file->flags & 3) != 0; /* O_ACCMODE: not O_RDONLY */
}

#endif
