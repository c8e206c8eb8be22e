#include "mapped.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "page_content.h"
#include "page_watch.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"

/* Both ways end in the same comparison with what each page held last; they differ in which pages
 * are compared: those that the kernel names, or all that are mapped. So a page that is named
 * without need is never reported, and what counts for being right is only that none is left out.
 *
 * What is not known: two threads that change the same page at the same moment, one by write(2) and
 * one by a store. mapped_written then takes both for written. */

struct mapped_entry {
    struct mapped_range range;
    bool is_watched;
};

struct mapped_process {
    pid_t pid;
    struct page_watch watch;
};

/* Pages to be compared: part of an entry. */
struct mapped_candidate {
    struct page_content *content;
    struct content_part part;
};

struct mapped {
    bool want_uffd;
    struct mapped_entry *entries;
    size_t count, capacity;
    struct mapped_process *processes; /* those that have been asked for a watch */
    size_t processes_count, processes_capacity;
    struct page_content **contents; /* of the nodes that are mapped */
    size_t contents_count, contents_capacity;
    struct page_intervals written; /* kept only for its memory, as the next */
    struct mapped_candidate *candidates;
    size_t candidates_count, candidates_capacity;
};

struct mapped *mapped_new(bool want_uffd)
{
    struct mapped *mapped = mem_new(1, sizeof *mapped);
    mapped->want_uffd = want_uffd;
    return mapped;
}

void mapped_free(struct mapped *mapped)
{
    if (mapped == NULL)
        return;
    for (size_t i = 0; i < mapped->processes_count; i++)
        page_watch_close(&mapped->processes[i].watch);
    for (size_t i = 0; i < mapped->contents_count; i++) {
        page_content_fini(mapped->contents[i]);
        free(mapped->contents[i]);
    }
    free(mapped->processes);
    free(mapped->contents);
    free(mapped->entries);
    free(mapped->written.items);
    free(mapped->candidates);
    free(mapped);
}

bool mapped_is_empty(const struct mapped *mapped)
{
    return mapped->count == 0;
}

bool mapped_has_node(const struct mapped *mapped, uint32_t node)
{
    for (size_t i = 0; i < mapped->contents_count; i++) {
        if (mapped->contents[i]->node == node)
            return true;
    }
    return false;
}

static struct page_content *content_of(struct mapped *mapped, uint32_t node)
{
    for (size_t i = 0; i < mapped->contents_count; i++) {
        if (mapped->contents[i]->node == node)
            return mapped->contents[i];
    }
    struct page_content *content = mem_new(1, sizeof *content);
    page_content_init(content, node);
    mem_grow(&mapped->contents, &mapped->contents_capacity, mapped->contents_count + 1,
             sizeof(struct page_content *));
    mapped->contents[mapped->contents_count++] = content;
    return content;
}

static struct mapped_process *process_find(const struct mapped *mapped, pid_t pid)
{
    for (size_t i = 0; i < mapped->processes_count; i++) {
        if (mapped->processes[i].pid == pid)
            return &mapped->processes[i];
    }
    return NULL;
}

/* The watch of a process, opened at its first mapping; one that cannot be had is kept closed, so
 * that it is not tried again. */
static bool watch_of(struct mapped *mapped, pid_t pid, pid_t tid, struct mapped_process **out,
                     struct err *err)
{
    *out = process_find(mapped, pid);
    if (*out != NULL || !mapped->want_uffd)
        return true;
    struct mapped_process process = {.pid = pid};
    if (!page_watch_open(&process.watch, pid, tid, err))
        return false;
    mem_grow(&mapped->processes, &mapped->processes_capacity, mapped->processes_count + 1,
             sizeof *mapped->processes);
    mapped->processes[mapped->processes_count] = process;
    *out = &mapped->processes[mapped->processes_count++];
    return true;
}

/* At the exit stop of the mmap that made the mapping, the file's descriptor is still in its
 * register. */
static void open_file(struct page_content *content, pid_t tid, const struct mapped_range *range)
{
    struct user_regs_struct regs;
    if (ptrace(PTRACE_GETREGS, tid, 0, &regs) == 0 && regs.orig_rax == SYS_mmap &&
        regs.rax == range->address)
        page_content_open(content, range->process, (int)regs.r8, range->address);
}

/* The end of what another entry of the node covers from `at` on, or `at` when none does; *next: the
 * nearest start of another entry after it. */
static uint64_t covered_until(const struct mapped *mapped, uint32_t node, uint64_t at,
                              uint64_t *next)
{
    uint64_t until = at;
    for (size_t i = 0; i < mapped->count; i++) {
        const struct mapped_range *range = &mapped->entries[i].range;
        if (range->node != node)
            continue;
        if (range->offset <= at && range->offset + range->size > until)
            until = range->offset + range->size;
        if (range->offset > at && range->offset < *next)
            *next = range->offset;
    }
    return until;
}

/* Pages that are mapped elsewhere are known already, and may hold stores not yet reported. */
static bool learn(const struct mapped *mapped, struct page_content *content,
                  const struct mapped_range *range, struct err *err)
{
    const uint64_t end = range->offset + range->size;
    for (uint64_t at = range->offset; at < end;) {
        uint64_t next = end;
        const uint64_t until = covered_until(mapped, range->node, at, &next);
        if (until > at) {
            at = until;
            continue;
        }
        const struct content_part part = {.start = at,
                                          .end = next,
                                          .process = range->process,
                                          .address = range->address + (at - range->offset)};
        if (!page_content_learn(content, &part, err))
            return false;
        at = next;
    }
    return true;
}

static void drop_unmapped_contents(struct mapped *mapped)
{
    for (size_t i = 0; i < mapped->contents_count;) {
        bool is_mapped = false;
        for (size_t j = 0; j < mapped->count && !is_mapped; j++)
            is_mapped = mapped->entries[j].range.node == mapped->contents[i]->node;
        if (is_mapped) {
            i++;
            continue;
        }
        page_content_fini(mapped->contents[i]);
        free(mapped->contents[i]);
        mapped->contents[i] = mapped->contents[--mapped->contents_count];
    }
}

static void append_entry(struct mapped *mapped, struct mapped_range range, bool is_watched)
{
    mem_grow(&mapped->entries, &mapped->capacity, mapped->count + 1, sizeof *mapped->entries);
    mapped->entries[mapped->count++] = (struct mapped_entry){range, is_watched};
}

/* Scans once for nothing, so that the first real scan need not look at all pages. Only up to the
 * end of the file, for protecting what cannot be touched would cost page tables. */
static void protect(struct mapped *mapped, const struct mapped_process *process,
                    const struct mapped_range *range, uint64_t file_size)
{
    const uint64_t pages_end = (file_size + CONTENT_PAGE - 1) / CONTENT_PAGE * CONTENT_PAGE;
    if (pages_end <= range->offset)
        return;
    const uint64_t left = pages_end - range->offset;
    const uint64_t size = left < range->size ? left : range->size;
    mapped->written.count = 0;
    (void)page_watch_scan(&process->watch, range->address, range->address + size, &mapped->written);
}

bool mapped_add(struct mapped *mapped, pid_t tid, const struct mapped_range *range, struct err *err)
{
    struct mapped_range whole = *range;
    whole.size = (range->size + CONTENT_PAGE - 1) / CONTENT_PAGE * CONTENT_PAGE;
    CHECK(range->address % CONTENT_PAGE == 0 && range->offset % CONTENT_PAGE == 0);
    struct mapped_process *process = NULL;
    if (!watch_of(mapped, range->process, tid, &process, err))
        return false;
    const bool is_watched =
        process != NULL && page_watch_add(&process->watch, whole.address, whole.size);
    struct page_content *content = content_of(mapped, range->node);
    open_file(content, tid, &whole);
    if (is_watched)
        protect(mapped, process, &whole, page_content_size(content));
    if (!learn(mapped, content, &whole, err)) {
        drop_unmapped_contents(mapped);
        return false;
    }
    append_entry(mapped, whole, is_watched);
    return true;
}

/* Cuts [start, end) out of the entry at `index`; what is left of it before and after stays. */
static void cut_entry(struct mapped *mapped, size_t index, uint64_t start, uint64_t end)
{
    const struct mapped_entry entry = mapped->entries[index];
    const struct mapped_range *range = &entry.range;
    const uint64_t range_end = range->address + range->size;
    mapped->entries[index] = mapped->entries[--mapped->count];
    if (range->address < start) {
        struct mapped_range before = *range;
        before.size = start - range->address;
        append_entry(mapped, before, entry.is_watched);
    }
    if (end < range_end) {
        struct mapped_range after = *range;
        after.address = end;
        after.offset += end - range->address;
        after.size = range_end - end;
        append_entry(mapped, after, entry.is_watched);
    }
}

void mapped_remove(struct mapped *mapped, pid_t process, uint64_t address, uint64_t size)
{
    const uint64_t end = address + (size + CONTENT_PAGE - 1) / CONTENT_PAGE * CONTENT_PAGE;
    for (size_t i = mapped->count; i > 0; i--) {
        const struct mapped_range *range = &mapped->entries[i - 1].range;
        if (range->process == process && range->address < end &&
            address < range->address + range->size)
            cut_entry(mapped, i - 1, address, end);
    }
    drop_unmapped_contents(mapped);
}

void mapped_remove_process(struct mapped *mapped, pid_t process)
{
    size_t kept = 0;
    for (size_t i = 0; i < mapped->count; i++) {
        if (mapped->entries[i].range.process != process)
            mapped->entries[kept++] = mapped->entries[i];
    }
    mapped->count = kept;
    struct mapped_process *watched = process_find(mapped, process);
    if (watched != NULL) {
        page_watch_close(&watched->watch);
        *watched = mapped->processes[--mapped->processes_count];
    }
    drop_unmapped_contents(mapped);
}

bool mapped_fork(struct mapped *mapped, pid_t parent, pid_t child, struct err *err)
{
    (void)err;
    const size_t count = mapped->count;
    for (size_t i = 0; i < count; i++) {
        struct mapped_range range = mapped->entries[i].range;
        if (range.process != parent)
            continue;
        range.process = child;
        append_entry(mapped, range, false);
    }
    return true;
}

bool mapped_find(const struct mapped *mapped, pid_t process, uint64_t address,
                 struct mapped_range *out)
{
    for (size_t i = 0; i < mapped->count; i++) {
        const struct mapped_range *range = &mapped->entries[i].range;
        if (range->process != process || address < range->address ||
            address - range->address >= range->size)
            continue;
        *out = *range;
        return true;
    }
    return false;
}

static void add_candidate(struct mapped *mapped, const struct mapped_range *range, uint64_t start,
                          uint64_t end)
{
    mem_grow(&mapped->candidates, &mapped->candidates_capacity, mapped->candidates_count + 1,
             sizeof *mapped->candidates);
    mapped->candidates[mapped->candidates_count++] =
        (struct mapped_candidate){.content = content_of(mapped, range->node),
                                  .part = {.start = start,
                                           .end = end,
                                           .process = range->process,
                                           .address = range->address + (start - range->offset)}};
}

/* All that the kernel names, or all there is. A watch that has been lost is given up for good. */
static void collect(struct mapped *mapped, struct mapped_entry *entry, uint64_t file_size)
{
    const struct mapped_range *range = &entry->range;
    page_content_resize(content_of(mapped, range->node), file_size);
    if (file_size <= range->offset)
        return;
    const uint64_t left =
        (file_size - range->offset + CONTENT_PAGE - 1) / CONTENT_PAGE * CONTENT_PAGE;
    const uint64_t size = left < range->size ? left : range->size;
    const struct mapped_process *process =
        entry->is_watched ? process_find(mapped, range->process) : NULL;
    mapped->written.count = 0;
    if (process == NULL || !page_watch_scan(&process->watch, range->address, range->address + size,
                                            &mapped->written)) {
        entry->is_watched = false;
        add_candidate(mapped, range, range->offset, range->offset + size);
        return;
    }
    for (size_t i = 0; i < mapped->written.count; i++) {
        const struct page_interval *interval = &mapped->written.items[i];
        add_candidate(mapped, range, range->offset + (interval->start - range->address),
                      range->offset + (interval->end - range->address));
    }
}

static int compare_candidates(const void *a, const void *b)
{
    const struct mapped_candidate *left = a;
    const struct mapped_candidate *right = b;
    if (left->content->node != right->content->node)
        return left->content->node < right->content->node ? -1 : 1;
    return left->part.start < right->part.start ? -1 : left->part.start > right->part.start;
}

/* Equal places of a file may be candidates through several mappings: `done` is how far the file has
 * been looked at. */
static bool compare_all(struct mapped *mapped, const struct mapped_sink *sink, struct err *err)
{
    uint64_t done = 0;
    for (size_t i = 0; i < mapped->candidates_count; i++) {
        struct mapped_candidate *candidate = &mapped->candidates[i];
        struct content_part part = candidate->part;
        if (i > 0 && candidate->content != mapped->candidates[i - 1].content)
            done = 0;
        if (part.end <= done)
            continue;
        if (part.start < done) {
            part.address += done - part.start;
            part.start = done;
        }
        const struct content_sink inner = {
            .found = sink->found,
            .context = sink->context,
            .file_size = sink->file_size(sink->context, candidate->content->node)};
        if (!page_content_compare(candidate->content, &part, &inner, err))
            return false;
        done = part.end;
    }
    return true;
}

bool mapped_scan(struct mapped *mapped, const struct mapped_sink *sink, struct err *err)
{
    mapped->candidates_count = 0;
    for (size_t i = 0; i < mapped->count; i++) {
        struct mapped_entry *entry = &mapped->entries[i];
        collect(mapped, entry, sink->file_size(sink->context, entry->range.node));
    }
    if (mapped->candidates_count == 0)
        return true;
    qsort(mapped->candidates, mapped->candidates_count, sizeof *mapped->candidates,
          compare_candidates);
    return compare_all(mapped, sink, err);
}

/* A page that cannot be read now is compared at the next scan, like any other. */
void mapped_written(struct mapped *mapped, uint32_t node, uint64_t offset, uint64_t size)
{
    const uint64_t start = offset / CONTENT_PAGE * CONTENT_PAGE;
    const uint64_t end = size > UINT64_MAX - offset ? UINT64_MAX : offset + size;
    for (size_t i = 0; i < mapped->count; i++) {
        const struct mapped_range *range = &mapped->entries[i].range;
        const uint64_t low = range->offset > start ? range->offset : start;
        const uint64_t range_end = range->offset + range->size;
        const uint64_t high = range_end < end ? range_end : end;
        if (range->node != node || low >= high)
            continue;
        const struct content_part part = {.start = low,
                                          .end = high,
                                          .process = range->process,
                                          .address = range->address + (low - range->offset)};
        struct err ignored = {0};
        (void)!page_content_learn(content_of(mapped, node), &part, &ignored);
    }
}
