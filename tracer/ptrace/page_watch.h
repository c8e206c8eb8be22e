/* page_watch.h - the kernel tells which pages of another process were stored into.
 *
 * A userfaultfd in WP_ASYNC mode write-protects pages of the process, lifts the protection by
 * itself at the first store (also one of the kernel's own, such as a read(2) into the page), and
 * PAGEMAP_SCAN lists the pages without protection and protects them again. The userfaultfd has to
 * belong to the watched process: one call is injected, its descriptor is taken out, and closed
 * there. The watch is lost in a forked child, after exec, and for what mremap moves. */
#ifndef PTRACE_PAGE_WATCH_H
#define PTRACE_PAGE_WATCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/base/err.h"

struct page_watch {
    int uffd;       /* -1: this kernel cannot watch, or may not */
    int pagemap_fd; /* -1 likewise */
};

/* tid: a thread of the process, at a stop as inject.h wants it. A kernel that cannot watch is no
 * failure: see uffd. */
MUST_USE bool page_watch_open(struct page_watch *watch, pid_t process, pid_t tid, struct err *err);
void page_watch_close(struct page_watch *watch);

/* Watches a range of whole pages from now on; its pages count as stored into until they have been
 * scanned once. false: it cannot be watched. */
bool page_watch_add(const struct page_watch *watch, uint64_t address, uint64_t size);

struct page_interval {
    uint64_t start, end; /* addresses */
};
struct page_intervals {
    struct page_interval *items;
    size_t count, capacity;
};

/* Appends what was stored into since the last scan within [start, end), and protects it again.
 * false: the range is not watched (any more). */
bool page_watch_scan(const struct page_watch *watch, uint64_t start, uint64_t end,
                     struct page_intervals *out);

#endif
