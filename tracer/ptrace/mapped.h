/* mapped.h - stores through shared writable mappings of workspace files.
 *
 * No system call shows them. The recorder tells of each mapping; before each op (and at msync,
 * munmap, exec and exit) mapped_scan finds the pages that were stored into since the last scan and
 * hands out their bytes. Two ways: a userfaultfd in WP_ASYNC mode that is injected into the worker
 * once and asked by PAGEMAP_SCAN (Linux 6.7; a few microseconds a scan), or a comparison with a
 * shadow copy, for older kernels and in forked children, where the registration is lost.
 *
 * A page that was stored into but reads the same is not reported. Bytes beyond the end of the file
 * are no part of it and are not reported. */
#ifndef PTRACE_MAPPED_H
#define PTRACE_MAPPED_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/base/err.h"

struct mapped;

/* want_uffd false: shadow copies only. */
struct mapped *mapped_new(bool want_uffd);
void mapped_free(struct mapped *mapped);

/* A new mapping. tid: a thread of the process, at the exit stop of its mmap, mremap or mprotect. */
struct mapped_range {
    pid_t process; /* thread group */
    uint64_t address;
    uint64_t size;
    uint32_t node;
    uint64_t offset; /* in the file, of `address` */
};
MUST_USE bool mapped_add(struct mapped *mapped, pid_t tid, const struct mapped_range *range,
                         struct err *err);

/* [address, address + size) of the process is mapped no more (scan before). */
void mapped_remove(struct mapped *mapped, pid_t process, uint64_t address, uint64_t size);

/* The process has execed or ended: nothing of it is mapped (scan before). */
void mapped_remove_process(struct mapped *mapped, pid_t process);

/* A child was forked: it has the same mappings, followed by comparison. */
MUST_USE bool mapped_fork(struct mapped *mapped, pid_t parent, pid_t child, struct err *err);

/* True when nothing is mapped: the recorder then spares itself the scan. */
bool mapped_is_empty(const struct mapped *mapped);

/* Whether this process has a writable shared mapping of the node, and at which address an offset
 * of the file is seen; for msync. false: none. */
bool mapped_find(const struct mapped *mapped, pid_t process, uint64_t address,
                 struct mapped_range *out);

/* Calls `found` for each page with new content, in order of node and offset; at most one page
 * (4096 bytes, fewer at the end of the file) in each call. found returns false on an error of its
 * own, with *err set. file_size gives the file's size now. */
struct mapped_sink {
    bool (*found)(void *context, uint32_t node, uint64_t offset, const void *bytes, size_t size,
                  struct err *err);
    uint64_t (*file_size)(void *context, uint32_t node);
    void *context;
};
MUST_USE bool mapped_scan(struct mapped *mapped, const struct mapped_sink *sink, struct err *err);

/* A recorded call has written these bytes to the file: shadows must not report them again. Called
 * after each write, truncate and allocate on a node that is mapped. */
void mapped_written(struct mapped *mapped, uint32_t node, uint64_t offset, uint64_t size);

/* Whether any process maps the node. */
bool mapped_has_node(const struct mapped *mapped, uint32_t node);

#endif
