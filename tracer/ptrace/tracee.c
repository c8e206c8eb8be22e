#include "tracee.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"

static uint64_t value_of(void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static void *pointer_of(uint64_t value)
{
    return (void *)(uintptr_t)value; /* NOLINT(performance-no-int-to-ptr): a map of numbers */
}

void tracees_fini(struct tracees *tracees)
{
    size_t at = 0;
    uint64_t key, value;
    while (map_next(&tracees->by_tid, &at, &key, &value)) {
        struct tracee *tracee = pointer_of(value);
        call_fini(&tracee->call);
        free(tracee);
    }
    at = 0;
    while (map_next(&tracees->processes, &at, &key, &value))
        free(pointer_of(value));
    map_fini(&tracees->by_tid);
    map_fini(&tracees->processes);
}

struct tracee *tracees_find(const struct tracees *tracees, pid_t tid)
{
    uint64_t value;
    return map_get(&tracees->by_tid, (uint64_t)tid, &value) ? pointer_of(value) : NULL;
}

struct process *tracees_process(const struct tracees *tracees, pid_t pid)
{
    uint64_t value;
    return map_get(&tracees->processes, (uint64_t)pid, &value) ? pointer_of(value) : NULL;
}

struct tracee *tracees_add(struct tracees *tracees, pid_t tid, pid_t pid)
{
    struct process *process = tracees_process(tracees, pid);
    if (process == NULL) {
        process = mem_new(1, sizeof *process);
        process->pid = pid;
        map_put(&tracees->processes, (uint64_t)pid, value_of(process));
    }
    process->threads++;
    process->running++;
    struct tracee *tracee = mem_new(1, sizeof *tracee);
    tracee->tid = tid;
    tracee->process = process;
    call_init(&tracee->call);
    map_put(&tracees->by_tid, (uint64_t)tid, value_of(tracee));
    return tracee;
}

void tracees_remove(struct tracees *tracees, struct tracee *tracee)
{
    struct process *process = tracee->process;
    CHECK(process->threads > 0);
    if (!tracee->is_ending)
        process->running--;
    if (--process->threads == 0) {
        map_remove(&tracees->processes, (uint64_t)process->pid);
        free(process);
    }
    map_remove(&tracees->by_tid, (uint64_t)tracee->tid);
    call_fini(&tracee->call);
    free(tracee);
}

void tracees_exec(struct tracees *tracees, struct tracee *tracee)
{
    struct process *process = tracee->process;
    for (bool goes_on = true; goes_on;) { /* a map must not change while it is iterated */
        size_t at = 0;
        uint64_t key, value;
        goes_on = false;
        while (!goes_on && map_next(&tracees->by_tid, &at, &key, &value)) {
            struct tracee *other = pointer_of(value);
            if (other == tracee || other->process != process)
                continue;
            tracees_remove(tracees, other);
            goes_on = true;
        }
    }
    map_remove(&tracees->by_tid, (uint64_t)tracee->tid);
    tracee->tid = process->pid;
    map_put(&tracees->by_tid, (uint64_t)tracee->tid, value_of(tracee));
}

struct tracee *tracees_next(const struct tracees *tracees, size_t *at)
{
    uint64_t key, value;
    return map_next(&tracees->by_tid, at, &key, &value) ? pointer_of(value) : NULL;
}

struct tracee *tracees_held(const struct tracees *tracees)
{
    struct tracee *first = NULL;
    size_t at = 0;
    uint64_t key, value;
    while (map_next(&tracees->by_tid, &at, &key, &value)) {
        struct tracee *tracee = pointer_of(value);
        if (tracee->state == TRACEE_HELD &&
            (first == NULL || tracee->call.order < first->call.order))
            first = tracee;
    }
    return first;
}

void tracees_kill_others(const struct tracees *tracees, const struct process *spared)
{
    size_t at = 0;
    uint64_t key, value;
    while (map_next(&tracees->processes, &at, &key, &value)) {
        if (spared == NULL || (pid_t)key != spared->pid)
            kill((pid_t)key, SIGKILL);
    }
}

void tracees_kill(const struct tracees *tracees)
{
    tracees_kill_others(tracees, NULL);
}
