#include "trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* Larger payloads are read piece by piece, so that brink's memory stays small. */
#define MAP_MAX (UINT64_C(64) << 20)

void trace_init(struct trace *trace)
{
    *trace = (struct trace){.payload_fd = -1, .nodes = NODE_ROOT + 1};
}

static void free_lines(char **lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i]);
    free(lines);
}

static void about_fini(struct trace_about *about)
{
    free(about->workspace);
    for (char **word = about->argv; word && *word; word++)
        free(*word);
    free(about->argv);
    free_lines(about->notes, about->notes_count);
}

static void drop_payload(struct trace *trace)
{
    void *map;
    memcpy(&map, &trace->payload_map, sizeof map); /* const for all who read it */
    if (map)
        munmap(map, trace->payload_size);
    trace->payload_map = NULL;
    own_close_now(&trace->payload_fd);
}

void trace_fini(struct trace *trace)
{
    drop_payload(trace);
    free(trace->ops);
    strings_fini(&trace->strings);
    free(trace->threads);
    free(trace->frames);
    free(trace->stacks);
    free(trace->stack_frames);
    free(trace->promises);
    free(trace->recoveries);
    free(trace->recovery_ops);
    free(trace->robust);
    about_fini(&trace->about);
    trace_init(trace);
}

bool trace_set_payload(struct trace *trace, int fd, struct err *err)
{
    int owned OWN(own_fd) = fd;
    struct stat stat;
    if (fstat(owned, &stat) != 0)
        return err_system(err, "look at the payload file");
    const uint64_t size = (uint64_t)stat.st_size;
    void *map = NULL;
    if (size > 0 && size <= MAP_MAX) {
        map = mmap(NULL, size, PROT_READ, MAP_SHARED, owned, 0);
        if (map == MAP_FAILED)
            map = NULL; /* some file systems cannot; reading always works */
    }
    drop_payload(trace);
    trace->payload_map = map;
    trace->payload_size = size;
    trace->payload_fd = own_take_fd(&owned);
    return true;
}

void trace_follow_payload(struct trace *trace, int fd)
{
    const uint64_t size = trace->payload_size;
    drop_payload(trace);
    trace->payload_fd = fd;
    trace->payload_size = size;
}

bool trace_read(const struct trace *trace, uint64_t at, void *to, size_t size, struct err *err)
{
    if (size == 0)
        return true;
    if (at > trace->payload_size || size > trace->payload_size - at) {
        return err_usage(err,
                         "read the run's payload: %zu bytes at %llu are beyond its end at %llu; "
                         "the run is damaged",
                         size, (unsigned long long)at, (unsigned long long)trace->payload_size);
    }
    if (trace->payload_map) {
        memcpy(to, trace->payload_map + at, size);
        return true;
    }
    char *next = to;
    while (size > 0) {
        const ssize_t got = pread(trace->payload_fd, next, size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_system(err, "read the run's payload");
        if (got == 0)
            return err_usage(err, "read the run's payload: it was cut short meanwhile");
        next += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

static bool is_point_after(const struct op *op)
{
    return op_is_crash_point(op) && !(op->flags & OP_MORE);
}

uint32_t trace_points(const struct trace *trace)
{
    uint32_t points = 1;
    for (uint32_t i = trace->initial; i < trace->count; i++)
        points += is_point_after(&trace->ops[i]);
    return points;
}

uint32_t trace_next_point(const struct trace *trace, uint32_t k)
{
    for (uint32_t i = k < trace->initial ? trace->initial : k; i < trace->count; i++) {
        if (is_point_after(&trace->ops[i]))
            return i + 1;
    }
    return 0;
}

/* Adds what one op promises; whether it promises anything. */
static bool add_promise(struct trace_promised *promised, const struct op *op)
{
    if (op->kind == OP_OUTPUT && (op->flags & OP_ACKED)) {
        promised->acked_bytes += op->payload_size;
        return true;
    }
    promised->sent_messages += op->kind == OP_SEND;
    return op->kind == OP_SEND;
}

void trace_index(struct trace *trace)
{
    size_t capacity = 0;
    free(trace->promises);
    trace->promises = NULL;
    trace->promises_count = 0;
    struct trace_promised sum = {0};
    for (uint32_t i = 0; i < trace->count; i++) {
        if (!add_promise(&sum, &trace->ops[i]))
            continue;
        mem_grow(&trace->promises, &capacity, trace->promises_count + 1, sizeof *trace->promises);
        trace->promises[trace->promises_count++] = (struct trace_promise){.op = i, .sum = sum};
    }
    trace->indexed = trace->count;
}

/* The sum of the last promise before k: the promises are in order of ops. */
static struct trace_promised find_sum(const struct trace *trace, uint32_t k)
{
    uint32_t low = 0, high = trace->promises_count; /* promises before low lie before k */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (trace->promises[middle].op < k) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low ? trace->promises[low - 1].sum : (struct trace_promised){0};
}

struct trace_promised trace_promised(const struct trace *trace, uint32_t k)
{
    CHECK(k <= trace->count);
    if (trace->indexed == trace->count)
        return find_sum(trace, k);
    struct trace_promised sum = {0};
    for (uint32_t i = 0; i < k; i++)
        add_promise(&sum, &trace->ops[i]);
    return sum;
}
