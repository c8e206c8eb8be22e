#include "page_content.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>
#include <xxhash.h>

#include "tracer/base/attr.h"
#include "tracer/base/own.h"

enum {
    CHUNK_PAGES = 32,
    CHUNK = CHUNK_PAGES * CONTENT_PAGE,
    HOLES_FROM = 256 * CONTENT_PAGE, /* parts at least this large are searched for holes first */
};

void page_content_init(struct page_content *content, uint32_t node)
{
    *content = (struct page_content){.node = node, .fd = -1};
}

void page_content_fini(struct page_content *content)
{
    own_close_now(&content->fd);
    map_fini(&content->hashes);
}

/* What /proc/PID/maps says of a mapping. */
struct mapped_file {
    dev_t device;
    ino_t inode;
    char path[PATH_MAX];
};

static void parse_file(const char *line, struct mapped_file *file)
{
    char *at = NULL;
    const uint64_t major_number = strtoull(line, &at, 16);
    const uint64_t minor_number = *at == ':' ? strtoull(at + 1, &at, 16) : 0;
    file->device = makedev((unsigned)major_number, (unsigned)minor_number);
    file->inode = strtoull(at, &at, 10);
    at += strspn(at, " ");
    snprintf(file->path, sizeof file->path, "%.*s", (int)strcspn(at, "\n"), at);
}

static bool find_mapped_file(pid_t process, uint64_t address, struct mapped_file *file)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *maps = fopen(path, "re");
    if (maps == NULL)
        return false;
    char *line OWN(own_mem) = NULL;
    size_t capacity = 0;
    bool is_found = false;
    while (!is_found && getline(&line, &capacity, maps) > 0) {
        char *at = line;
        const uint64_t start = strtoull(at, &at, 16);
        const uint64_t end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
        is_found = start <= address && address < end && strlen(at) > 6;
        if (!is_found)
            continue;
        (void)strtoull(at + 6, &at, 16); /* " rw-s " and the offset */
        parse_file(at, file);
    }
    fclose(maps);
    return is_found;
}

/* Another thread may have closed the number and used it anew since the mapping was made. On btrfs
 * and overlayfs maps shows another device than stat; there the path must agree. */
static bool is_mapped_file(int fd, pid_t process, uint64_t address)
{
    struct mapped_file mapped;
    struct stat info;
    if (fstat(fd, &info) != 0 || !find_mapped_file(process, address, &mapped) ||
        info.st_ino != mapped.inode)
        return false;
    char name[48], path[PATH_MAX] = "";
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    const ssize_t size = readlink(name, path, sizeof path - 1);
    return info.st_dev == mapped.device || (size > 0 && strcmp(path, mapped.path) == 0);
}

/* The copy shares the worker's open file description (with its locks and flags), so it serves only
 * to open the file anew, and is closed at once. */
static int open_anew(pid_t process, int fd)
{
    const int pidfd OWN(own_fd) = (int)syscall(SYS_pidfd_open, process, 0);
    const int copy OWN(own_fd) = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
    if (copy < 0)
        return -1;
    char path[48];
    snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

void page_content_open(struct page_content *content, pid_t process, int fd, uint64_t address)
{
    if (content->fd >= 0)
        return;
    int own OWN(own_fd) = open_anew(process, fd);
    if (own >= 0 && is_mapped_file(own, process, address))
        content->fd = own_take_fd(&own);
}

/* Fills the buffer with [start, start + size) of the file; what is not there is zeros, and *size
 * becomes how much was there. */
static bool read_part(const struct page_content *content, const struct content_part *part,
                      uint64_t start, struct iovec *to, struct err *err)
{
    ssize_t got;
    if (content->fd >= 0) {
        got = pread(content->fd, to->iov_base, to->iov_len, (off_t)start);
    } else {
        void *there = (void *)(part->address + (start - part->start)); // NOLINT: the interface
        const struct iovec remote = {there, to->iov_len};
        got = process_vm_readv(part->process, to, 1, &remote, 1, 0);
    }
    if (got < 0 && errno == EFAULT)
        got = 0; /* pages beyond the end of the file */
    if (got < 0)
        return err_system(err, "read a shared mapping of process %d", (int)part->process);
    memset((char *)to->iov_base + got, 0, to->iov_len - (size_t)got);
    to->iov_len = (size_t)got;
    return true;
}

/* 0 stands for a page of zeros, which is not kept. */
static uint64_t hash_page(const uint8_t *page)
{
    static const uint8_t zeros[CONTENT_PAGE];
    if (page[0] == 0 && memcmp(page, zeros, CONTENT_PAGE) == 0)
        return 0;
    const uint64_t hash = XXH3_64bits(page, CONTENT_PAGE);
    return hash == 0 ? 1 : hash;
}

/* True when it changed. */
static bool keep_hash(struct page_content *content, uint64_t page, uint64_t hash)
{
    uint64_t before = 0;
    (void)map_get(&content->hashes, page, &before);
    if (before == hash)
        return false;
    if (hash == 0) {
        (void)map_remove(&content->hashes, page);
    } else {
        (void)map_put(&content->hashes, page, hash);
    }
    return true;
}

/* Pages that are not there are zeros when they are learnt, for they come into being as such. In a
 * comparison they are no content: the file has become shorter than its size is said to be. */
static bool compare_pages(struct page_content *content, uint64_t start, const struct iovec *pages,
                          const struct content_sink *sink, struct err *err)
{
    for (size_t at = 0; at < pages->iov_len; at += CONTENT_PAGE) {
        const uint64_t offset = start + at;
        uint8_t *page = (uint8_t *)pages->iov_base + at;
        size_t size = CONTENT_PAGE;
        if (sink != NULL && sink->file_size - offset < CONTENT_PAGE) {
            size = sink->file_size - offset;
            memset(page + size, 0, CONTENT_PAGE - size);
        }
        if (keep_hash(content, offset / CONTENT_PAGE, hash_page(page)) && sink != NULL &&
            !sink->found(sink->context, content->node, offset, page, size, err))
            return false;
    }
    return true;
}

static bool compare_range(struct page_content *content, const struct content_part *part,
                          const struct content_sink *sink, struct err *err)
{
    uint8_t buffer[CHUNK];
    for (uint64_t at = part->start; at < part->end; at += CHUNK) {
        const uint64_t left = part->end - at;
        const size_t wanted = left < CHUNK ? (size_t)left : CHUNK;
        const size_t whole = (wanted + CONTENT_PAGE - 1) / CONTENT_PAGE * CONTENT_PAGE;
        // cppcheck-suppress legacyUninitvar ; read_part fills it
        struct iovec pages = {buffer, whole};
        if (!read_part(content, part, at, &pages, err))
            return false;
        if (sink == NULL)
            pages.iov_len = whole;
        if (!compare_pages(content, at, &pages, sink, err))
            return false;
    }
    return true;
}

static struct content_part sub_part(const struct content_part *part, uint64_t start, uint64_t end)
{
    struct content_part sub = *part;
    sub.start = start;
    sub.end = end;
    sub.address = part->address + (start - part->start);
    return sub;
}

/* A page in a hole that was zeros before is zeros still: only those with a hash are looked at. */
static bool compare_hole(struct page_content *content, const struct content_part *hole,
                         const struct content_sink *sink, struct err *err)
{
    if (content->hashes.count == 0)
        return true;
    for (uint64_t at = hole->start; at < hole->end; at += CONTENT_PAGE) {
        if (!map_get(&content->hashes, at / CONTENT_PAGE, NULL))
            continue;
        const uint64_t end = at + CONTENT_PAGE < hole->end ? at + CONTENT_PAGE : hole->end;
        const struct content_part page = sub_part(hole, at, end);
        if (!compare_range(content, &page, sink, err))
            return false;
    }
    return true;
}

static uint64_t clamp(off_t found, uint64_t low, uint64_t high)
{
    const uint64_t at = found < 0 ? high : (uint64_t)found / CONTENT_PAGE * CONTENT_PAGE;
    return at < low ? low : at > high ? high : at;
}

/* The first data at or after an offset, and the hole after them, in whole pages that take in every
 * page with some data. A file system that cannot tell has all data. */
static struct content_part next_data(const struct page_content *content,
                                     const struct content_part *part, uint64_t at)
{
    const off_t data_at = lseek(content->fd, (off_t)at, SEEK_DATA);
    if (data_at < 0)
        return sub_part(part, errno == ENXIO ? part->end : at, part->end);
    const uint64_t data = clamp(data_at, at, part->end);
    const off_t hole_at = lseek(content->fd, data_at, SEEK_HOLE);
    const uint64_t hole =
        clamp(hole_at < 0 ? hole_at : hole_at + CONTENT_PAGE - 1, data, part->end);
    return sub_part(part, data, hole);
}

static bool compare(struct page_content *content, const struct content_part *part,
                    const struct content_sink *sink, struct err *err)
{
    if (content->fd < 0 || part->end - part->start < HOLES_FROM)
        return compare_range(content, part, sink, err);
    for (uint64_t at = part->start; at < part->end;) {
        const struct content_part inside = next_data(content, part, at);
        const struct content_part before = sub_part(part, at, inside.start);
        if (!compare_hole(content, &before, sink, err) ||
            !compare_range(content, &inside, sink, err))
            return false;
        at = inside.end;
    }
    return true;
}

void page_content_resize(struct page_content *content, uint64_t size)
{
    if (size < content->size) {
        struct map kept = {0};
        size_t at = 0;
        uint64_t page, hash;
        while (map_next(&content->hashes, &at, &page, &hash)) {
            if (page * CONTENT_PAGE < size)
                (void)map_put(&kept, page, hash);
        }
        map_fini(&content->hashes);
        content->hashes = kept;
    }
    content->size = size;
}

uint64_t page_content_size(const struct page_content *content)
{
    struct stat info;
    return content->fd >= 0 && fstat(content->fd, &info) == 0 ? (uint64_t)info.st_size : 0;
}

bool page_content_learn(struct page_content *content, const struct content_part *part,
                        struct err *err)
{
    return compare(content, part, NULL, err);
}

bool page_content_compare(struct page_content *content, const struct content_part *part,
                          const struct content_sink *sink, struct err *err)
{
    struct content_part inside = *part;
    if (inside.end > sink->file_size)
        inside.end = sink->file_size;
    return inside.start >= inside.end || compare(content, &inside, sink, err);
}
