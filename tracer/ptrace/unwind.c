#include "unwind.h"

#include <stdlib.h>

#include "dwarf_walk.h"
#include "resolve.h"
#include "tracer/base/attr.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* Most stops of a worker come from few places, so each process has a small table of stacks walked
 * lately, found by instruction and stack pointer. An entry holds all the words that its walk looked
 * at; when they are unchanged the walk would give the same, and is spared. */

enum {
    RECENT_COUNT = 256,
    MODULE_SHIFT = 40, /* a frame's key: module number above the offset in its file */
};

struct recent_stack {
    struct stack_word *words; /* NULL: none */
    size_t count;
    uint64_t changes; /* of the code when it was walked */
    uint32_t stack;
};

struct process_stacks {
    struct code_map code;
    struct frame_walker *walker;
    struct dwarf_walker *dwarf_walker; /* NULL until it is needed */
    struct recent_stack recent[RECENT_COUNT];
};

struct placed_frame {
    uint32_t frame, module;
};

struct unwinder {
    struct trace_writer *writer;
    struct modules modules;
    struct stack_view view;
    struct process_stacks **processes; /* NULL where one was removed */
    size_t processes_count, processes_capacity;
    struct map by_pid;
    struct placed_frame *placed; /* frames that lie in a module, for resolving */
    size_t placed_count, placed_capacity;
};

struct unwinder *unwinder_new(struct trace_writer *writer)
{
    struct unwinder *unwinder = mem_new(1, sizeof *unwinder);
    unwinder->writer = writer;
    return unwinder;
}

static void process_free(struct process_stacks *process)
{
    if (process == NULL)
        return;
    for (size_t i = 0; i < RECENT_COUNT; i++)
        free(process->recent[i].words);
    frame_walker_free(process->walker);
    dwarf_walker_free(process->dwarf_walker);
    code_map_fini(&process->code);
    free(process);
}

void unwinder_free(struct unwinder *unwinder)
{
    if (unwinder == NULL)
        return;
    for (size_t i = 0; i < unwinder->processes_count; i++)
        process_free(unwinder->processes[i]);
    free(unwinder->processes);
    free(unwinder->placed);
    map_fini(&unwinder->by_pid);
    modules_fini(&unwinder->modules);
    free(unwinder);
}

static struct process_stacks *process_of(struct unwinder *unwinder, pid_t pid)
{
    uint64_t index;
    if (map_get(&unwinder->by_pid, (uint64_t)pid, &index))
        return unwinder->processes[index];
    struct process_stacks *process = mem_new(1, sizeof *process);
    process->code = (struct code_map){.process = pid};
    process->walker = frame_walker_new(&unwinder->view, &process->code, &unwinder->modules);
    mem_grow(&unwinder->processes, &unwinder->processes_capacity, unwinder->processes_count + 1,
             sizeof(struct process_stacks *));
    map_put(&unwinder->by_pid, (uint64_t)pid, unwinder->processes_count);
    unwinder->processes[unwinder->processes_count++] = process;
    return process;
}

void unwinder_forget(struct unwinder *unwinder, pid_t process)
{
    uint64_t index;
    if (!map_get(&unwinder->by_pid, (uint64_t)process, &index))
        return;
    code_map_clear(&unwinder->processes[index]->code);
    frame_walker_forget(unwinder->processes[index]->walker);
}

void unwinder_remove(struct unwinder *unwinder, pid_t process)
{
    uint64_t index;
    if (!map_get(&unwinder->by_pid, (uint64_t)process, &index))
        return;
    process_free(unwinder->processes[index]);
    unwinder->processes[index] = NULL;
    map_remove(&unwinder->by_pid, (uint64_t)process);
}

static void walk(struct unwinder *unwinder, struct process_stacks *process,
                 struct walk_result *result)
{
    frame_walker_walk(process->walker, result);
    if (!result->ended_blind || result->count == WALK_FRAMES_MAX)
        return;
    if (process->dwarf_walker == NULL) {
        process->dwarf_walker =
            dwarf_walker_new(&unwinder->view, &process->code, &unwinder->modules);
    }
    struct walk_result other;
    dwarf_walker_walk(process->dwarf_walker, &other);
    if (other.count > result->count)
        *result = other;
}

/* The frame's number. Code that is in no file has no name that could be found later, so there the
 * address stands for itself, whatever the process. */
static uint32_t frame_at(struct unwinder *unwinder, struct process_stacks *process,
                         uint64_t address)
{
    const struct code_region *region =
        code_map_find(&process->code, &unwinder->modules, address - 1);
    const bool is_placed = region != NULL && region->module != MODULE_NONE;
    const uint64_t offset = is_placed ? address - region->start + region->offset : 0;
    const uint64_t key = is_placed ? (uint64_t)(region->module + 1) << MODULE_SHIFT | offset
                                   : UINT64_C(1) << 63 | address;
    bool is_new = false;
    const uint32_t number = trace_writer_frame(unwinder->writer, key, &is_new);
    if (!is_new)
        return number;
    struct trace *trace = unwinder->writer->trace;
    trace->frames[number].address = address;
    if (!is_placed)
        return number;
    trace->frames[number].offset = offset;
    trace->frames[number].module =
        strings_add(&trace->strings, unwinder->modules.items[region->module].path);
    mem_grow(&unwinder->placed, &unwinder->placed_capacity, unwinder->placed_count + 1,
             sizeof *unwinder->placed);
    unwinder->placed[unwinder->placed_count++] = (struct placed_frame){number, region->module};
    return number;
}

static void remember(struct recent_stack *recent, const struct stack_view *view, uint64_t changes,
                     uint32_t stack)
{
    free(recent->words);
    *recent = (struct recent_stack){.changes = changes, .stack = stack};
    if (view->has_overflown)
        return;
    recent->count = view->words_count;
    recent->words = mem_copy(view->words, view->words_count * sizeof *view->words);
}

uint32_t unwinder_stack(struct unwinder *unwinder, pid_t process, pid_t tid)
{
    struct process_stacks *stacks = process_of(unwinder, process);
    struct stack_view *view = &unwinder->view;
    if (!stack_view_turn(view, tid))
        return 0;
    const uint64_t place = view->registers[STACK_RIP] ^ view->registers[STACK_RSP] >> 3;
    struct recent_stack *recent = &stacks->recent[place * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    if (recent->words != NULL && recent->changes == stacks->code.changes &&
        stack_view_agrees(view, recent->words, recent->count))
        return recent->stack;

    struct walk_result result;
    uint32_t frames[WALK_FRAMES_MAX];
    walk(unwinder, stacks, &result);
    for (size_t i = 0; i < result.count; i++)
        frames[i] = frame_at(unwinder, stacks, result.addresses[i]);
    const uint32_t stack =
        result.count == 0 ? 0
                          : trace_writer_stack(unwinder->writer, frames, (uint32_t)result.count);
    remember(recent, view, stacks->code.changes, stack);
    return stack;
}

static int compare_modules(const void *a, const void *b)
{
    const struct placed_frame *left = a;
    const struct placed_frame *right = b;
    return left->module < right->module ? -1 : left->module > right->module;
}

void unwinder_resolve(struct unwinder *unwinder)
{
    uint32_t *numbers OWN(own_mem) = mem_new(unwinder->placed_count + 1, sizeof *numbers);
    if (unwinder->placed_count > 0)
        qsort(unwinder->placed, unwinder->placed_count, sizeof *unwinder->placed, compare_modules);
    for (size_t i = 0; i < unwinder->placed_count;) {
        const uint32_t module = unwinder->placed[i].module;
        size_t count = 0;
        while (i < unwinder->placed_count && unwinder->placed[i].module == module)
            numbers[count++] = unwinder->placed[i++].frame;
        resolve_frames(unwinder->writer->trace, &unwinder->modules.items[module], numbers, count);
    }
}
