/* Shared mappings of workspace files. Stores through them are collected at the entry of every
 * recorded call, before its handler runs; here their ranges are kept up to date. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"
#include "filter.h"
#include "robust.h"

enum { PAGE_MASK = 4095 };

static uint64_t round_up(uint64_t size)
{
    return (size + PAGE_MASK) & ~(uint64_t)PAGE_MASK;
}

/* A file that is open for reading only can never be mapped for shared writing. One that is open for
 * both may be mapped for reading and be made writable later. */
enum call_next mmap_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    struct file file;
    const bool is_shared = (call->args[3] & (MAP_SHARED | MAP_ANONYMOUS)) == MAP_SHARED;
    const bool replaces = (call->args[3] & MAP_FIXED) != 0 && tracee->process->has_mappings;
    if (is_shared && files_get(recorder->files, tracee->tid, (int)call->args[4], &file) &&
        file.kind == FILE_NODE && S_ISREG(file.mode) && (file.flags & 3) == 2)
        call->op.node = file.node;
    return call->op.node != NODE_NONE || replaces ? CALL_SERIAL : CALL_FREE;
}

bool mmap_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    struct process *process = tracee->process;
    if (result < 0 && result > -4096)
        return true;
    const struct mapped_range range = {.process = process->pid,
                                       .address = (uint64_t)result,
                                       .size = round_up(call->args[1]),
                                       .node = call->op.node,
                                       .offset = call->args[5]};
    mapped_remove(recorder->mapped, process->pid, range.address, range.size);
    if (range.node != NODE_NONE && !mapped_add(recorder->mapped, tracee->tid, &range, err))
        return false;
    robust_unmapped(recorder, process->pid);
    if (range.node == NODE_NONE)
        return true;
    process->has_mappings = true;
    if ((process->filters & FILTER_MAPPINGS) == 0 &&
        !filter_inject(FILTER_MAPPINGS, tracee->tid, err))
        return false;
    process->filters |= FILTER_MAPPINGS;
    return true;
}

enum call_next unmap_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)err;
    return tracee->process->has_mappings ? CALL_SERIAL : CALL_FREE;
}

/* The mapping has moved, grown or shrunk. */
static bool leave_remap(struct recorder *recorder, struct tracee *tracee, uint64_t address,
                        struct err *err)
{
    const struct call *call = &tracee->call;
    const pid_t pid = tracee->process->pid;
    struct mapped_range range;
    if (!mapped_find(recorder->mapped, pid, call->args[0], &range))
        return true;
    const struct mapped_range moved = {.process = pid,
                                       .address = address,
                                       .size = round_up(call->args[2]),
                                       .node = range.node,
                                       .offset = range.offset + (call->args[0] - range.address)};
    if ((call->args[3] & MREMAP_DONTUNMAP) == 0)
        mapped_remove(recorder->mapped, pid, call->args[0], round_up(call->args[1]));
    mapped_remove(recorder->mapped, pid, moved.address, moved.size);
    const bool is_done = mapped_add(recorder->mapped, tracee->tid, &moved, err);
    robust_unmapped(recorder, pid);
    return is_done;
}

bool unmap_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    const struct call *call = &tracee->call;
    if (result < 0 && result > -4096)
        return true;
    if (call->nr == SYS_mremap)
        return leave_remap(recorder, tracee, (uint64_t)result, err);
    mapped_remove(recorder->mapped, tracee->process->pid, call->args[0], round_up(call->args[1]));
    robust_unmapped(recorder, tracee->process->pid);
    return true;
}

/* The memory goes with the old program; its stores have been collected on the way here. */
enum call_next exec_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    robust_execing(recorder, tracee);
    return CALL_FREE;
}

bool exec_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)recorder;
    (void)tracee;
    (void)result;
    (void)err;
    return true;
}

enum call_next msync_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    struct mapped_range range;
    call->op = emit_start(tracee, OP_SYNC_MAP);
    call->op.call_flags = (uint32_t)call->args[2];
    return mapped_find(recorder->mapped, tracee->process->pid, call->args[0], &range)
               ? CALL_FOLLOWED
               : CALL_FREE;
}

/* One op for each mapping in the range. */
bool msync_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    const uint64_t end = call->args[0] + round_up(call->args[1]);
    struct trace *trace = recorder->writer->trace;
    uint32_t last = UINT32_MAX;
    struct mapped_range range;
    for (uint64_t at = call->args[0];
         at < end && mapped_find(recorder->mapped, tracee->process->pid, at, &range);
         at = range.address + range.size) {
        const uint64_t range_end = range.address + range.size;
        struct op op = call->op;
        op.node = range.node;
        op.path = nodes_path(&recorder->nodes, range.node);
        op.offset = range.offset + (at - range.address);
        op.size = (range_end < end ? range_end : end) - at;
        op.error = result < 0 ? (int32_t)-result : 0;
        if (last != UINT32_MAX)
            trace->ops[last].flags |= OP_MORE;
        last = emit(recorder, &op);
    }
    return true;
}
