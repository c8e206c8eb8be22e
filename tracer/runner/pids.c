#include "pids.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/file.h"
#include "tracer/base/log.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum {
    LEAST_PID = 300,   /* as the kernel: lower ones are for the first daemons of a machine */
    PID_FILE_MAX = 32, /* no larger write is a pid file */
    PID_MAX_DEFAULT = 32768,
};

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t pids_widest(uint32_t *numbers, size_t count, uint32_t least, uint32_t pid_max)
{
    if (count > 0)
        qsort(numbers, count, sizeof *numbers, by_number);
    uint32_t best = least;
    uint32_t best_width = 0;
    uint32_t last = least;
    for (size_t i = 0; i <= count; i++) {
        const uint32_t next = i < count && numbers[i] < pid_max ? numbers[i] : pid_max;
        if (next > last && next - last > best_width) {
            best = last;
            best_width = next - last;
        }
        last = next > last ? next : last;
    }
    return best;
}

static uint32_t pid_max(void)
{
    struct err ignored = {0};
    char *text OWN(own_mem) = NULL;
    size_t size = 0;
    if (!file_read("/proc/sys/kernel/pid_max", 64, &text, &size, &ignored))
        return PID_MAX_DEFAULT;
    const long found = strtol(text, NULL, 10);
    return found > LEAST_PID ? (uint32_t)found : PID_MAX_DEFAULT;
}

struct numbers {
    uint32_t *items;
    size_t count, capacity;
};

static void add(struct numbers *numbers, uint32_t number)
{
    mem_grow(&numbers->items, &numbers->capacity, numbers->count + 1, sizeof *numbers->items);
    numbers->items[numbers->count++] = number;
}

/* A decimal number at the beginning of a small write, blanks skipped. */
static void add_written(struct numbers *numbers, const struct trace *trace, const struct op *op)
{
    char text[PID_FILE_MAX + 1] = "";
    struct err ignored = {0};
    const bool is_candidate = (op->kind == OP_WRITE || op->kind == OP_STORE) &&
                              op->payload_size > 0 && op->payload_size <= PID_FILE_MAX;
    if (!is_candidate || !trace_read(trace, op->payload, text, op->payload_size, &ignored))
        return;
    const char *at = text + strspn(text, " \t\n");
    const unsigned long number = isdigit((unsigned char)*at) ? strtoull(at, NULL, 10) : 0;
    if (number > 1 && number < UINT32_MAX)
        add(numbers, (uint32_t)number);
}

uint32_t pids_base(const struct trace *trace)
{
    struct numbers numbers = {0};
    for (uint32_t i = 0; i < trace->threads_count; i++) {
        add(&numbers, trace->threads[i].pid);
        add(&numbers, trace->threads[i].tid);
    }
    for (uint32_t i = 0; i < trace->count; i++)
        add_written(&numbers, trace, &trace->ops[i]);
    const uint32_t base = pids_widest(numbers.items, numbers.count, LEAST_PID, pid_max());
    free(numbers.items);
    return base;
}

int pids_open(void)
{
    return open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC);
}

void pids_set(int fd, uint32_t base)
{
    char text[16];
    const int size = snprintf(text, sizeof text, "%u", base);
    if (fd >= 0 && pwrite(fd, text, (size_t)size, 0) < 0)
        LOG(DEBUG, "the pid counter cannot be set");
}
