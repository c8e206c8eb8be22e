/* page_content.h - what the pages of one mapped file held when they were last looked at.
 *
 * A hash for each page that is not all zeros, so a sparse file costs nothing. Pages are read from
 * the file itself through a descriptor of our own where the mapping's descriptor can be copied, for
 * that is cheaper, leaves holes alone and outlives the process; else from the worker's mapping.
 * Bytes beyond the end of the file count as zeros. */
#ifndef PTRACE_PAGE_CONTENT_H
#define PTRACE_PAGE_CONTENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracer/base/err.h"
#include "tracer/base/map.h"

enum { CONTENT_PAGE = 4096 };

struct page_content {
    uint32_t node;
    int fd;            /* -1: to be read from a mapping */
    uint64_t size;     /* of the file, as last told */
    struct map hashes; /* page number to hash; absent: all zeros */
};

/* Part of the file, and where a process maps it. */
struct content_part {
    uint64_t start, end; /* offsets in the file; start is that of a page */
    pid_t process;
    uint64_t address; /* of start */
};

void page_content_init(struct page_content *content, uint32_t node);
void page_content_fini(struct page_content *content);

/* Gives the content a descriptor of its own for the file that the mapping at `address` shows, which
 * the process has open as fd. Without effect when that is not so (any more). */
void page_content_open(struct page_content *content, pid_t process, int fd, uint64_t address);

/* The size of the file; 0 when it is not known. */
uint64_t page_content_size(const struct page_content *content);

/* The file has this size now: what lay beyond comes back, if at all, as zeros. */
void page_content_resize(struct page_content *content, uint64_t size);

/* Takes the part as it is now for what was last looked at. */
MUST_USE bool page_content_learn(struct page_content *content, const struct content_part *part,
                                 struct err *err);

/* Hands out each page of the part that is not as it was last, cut off at file_size. */
struct content_sink {
    bool (*found)(void *context, uint32_t node, uint64_t offset, const void *bytes, size_t size,
                  struct err *err);
    void *context;
    uint64_t file_size;
};
MUST_USE bool page_content_compare(struct page_content *content, const struct content_part *part,
                                   const struct content_sink *sink, struct err *err);

#endif
