#include "page_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject.h"
#include "tracer/base/log.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* Numbers and layouts that are newer than the headers of Debian 12 (Linux 6.1). Source: the manual
 * pages PAGEMAP_SCAN(2const) and UFFDIO_API(2const), and the kernel's
 * Documentation/admin-guide/mm/pagemap.rst. Both exist since Linux 6.7. */
#define WATCH_FEATURE_WP_ASYNC (UINT64_C(1) << 15)

enum {
    SCAN_WP_MATCHING = 1 << 0,   /* protect what is listed */
    SCAN_CHECK_WPASYNC = 1 << 1, /* fail when a page is not watched */
    SCAN_WRITTEN = 1 << 1,       /* category: no protection stands */
    SCAN_LIST_MAX = 256,
};

struct scan_region {
    uint64_t start, end, categories;
};

struct scan_request {
    uint64_t size, flags, start, end, walk_end, list, list_count, pages_max;
    uint64_t inverted, mask, any_of_mask, wanted;
};
_Static_assert(sizeof(struct scan_request) == 96, "the kernel tells versions apart by the size");

#define SCAN_REQUEST _IOWR('f', 16, struct scan_request)

/* Without privileges the kernel grants a userfaultfd only for faults of user mode. That restricts
 * who may be stopped in a fault; in WP_ASYNC mode nobody is, so stores by the kernel are seen all
 * the same (a test of this module holds that against read(2)). */
static bool inject_uffd(pid_t tid, long *fd, struct err *err)
{
    static const unsigned long flags[] = {O_CLOEXEC | O_NONBLOCK,
                                          O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const unsigned long args[6] = {flags[i]};
        if (!inject_call(tid, SYS_userfaultfd, args, fd, err))
            return false;
        if (*fd != -EPERM)
            return true;
    }
    return true;
}

static int take_fd(pid_t process, int fd)
{
    const int pidfd OWN(own_fd) = (int)syscall(SYS_pidfd_open, process, 0);
    return pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
}

static bool enable(int uffd)
{
    struct uffdio_api api = {.api = UFFD_API, .features = WATCH_FEATURE_WP_ASYNC};
    return uffd >= 0 && ioctl(uffd, UFFDIO_API, &api) == 0;
}

bool page_watch_open(struct page_watch *watch, pid_t process, pid_t tid, struct err *err)
{
    *watch = (struct page_watch){.uffd = -1, .pagemap_fd = -1};
    long there = -1;
    if (!inject_uffd(tid, &there, err))
        return false;
    if (there < 0) {
        LOG(INFO, "process %d: no userfaultfd: errno %ld", (int)process, -there);
        return true;
    }
    int uffd OWN(own_fd) = take_fd(process, (int)there);
    const unsigned long args[6] = {(unsigned long)there};
    long closed = 0;
    if (!inject_call(tid, SYS_close, args, &closed, err))
        return false;
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/pagemap", (int)process);
    int pagemap_fd OWN(own_fd) = open(path, O_RDONLY | O_CLOEXEC);
    if (pagemap_fd < 0 || !enable(uffd)) {
        LOG(INFO, "process %d: no asynchronous write protection: errno %d", (int)process, errno);
        return true;
    }
    watch->uffd = own_take_fd(&uffd);
    watch->pagemap_fd = own_take_fd(&pagemap_fd);
    return true;
}

void page_watch_close(struct page_watch *watch)
{
    own_close_now(&watch->uffd);
    own_close_now(&watch->pagemap_fd);
}

bool page_watch_add(const struct page_watch *watch, uint64_t address, uint64_t size)
{
    struct uffdio_register request = {.range = {.start = address, .len = size},
                                      .mode = UFFDIO_REGISTER_MODE_WP};
    return watch->uffd >= 0 && ioctl(watch->uffd, UFFDIO_REGISTER, &request) == 0;
}

bool page_watch_scan(const struct page_watch *watch, uint64_t start, uint64_t end,
                     struct page_intervals *out)
{
    struct scan_region list[SCAN_LIST_MAX];
    struct scan_request request = {.size = sizeof request,
                                   .flags = SCAN_WP_MATCHING | SCAN_CHECK_WPASYNC,
                                   .end = end,
                                   .walk_end = start,
                                   .list = (uintptr_t)list,
                                   .list_count = SCAN_LIST_MAX,
                                   .mask = SCAN_WRITTEN,
                                   .wanted = SCAN_WRITTEN};
    while (request.walk_end < end) {
        request.start = request.walk_end;
        const int count = ioctl(watch->pagemap_fd, SCAN_REQUEST, &request);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 || request.walk_end <= request.start)
            return false;
        for (int i = 0; i < count; i++) {
            mem_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items);
            out->items[out->count++] = (struct page_interval){list[i].start, list[i].end};
        }
    }
    return true;
}
