#include "window.h"

#include <stdlib.h>

#include "tracer/base/mem.h"

bool window_is_violation(const struct verdict *verdict)
{
    return verdict->kind == VERDICT_VIOLATED || verdict->kind == VERDICT_CRASHED ||
           verdict->kind == VERDICT_HUNG;
}

struct windows {
    struct window *items;
    size_t count, capacity;
};

static struct window *add(struct windows *windows, struct window window)
{
    mem_grow(&windows->items, &windows->capacity, windows->count + 1, sizeof *windows->items);
    windows->items[windows->count] = window;
    return &windows->items[windows->count++];
}

static bool is_checked(const struct run *run, size_t i, enum model_kind model)
{
    const enum verdict_kind kind = run->verdicts[i].kind;
    return run->states[i].model == model && kind != VERDICT_NONE && kind != VERDICT_FLAKY;
}

static uint32_t op_before(const struct run *run, size_t i)
{
    const uint32_t op = run->states[i].op;
    return op > run->trace->initial ? op - 1 : UINT32_MAX;
}

static void find_killed(const struct run *run, struct windows *windows)
{
    struct window *open = NULL;
    for (size_t i = 0; i < run->states_count; i++) {
        if (!is_checked(run, i, MODEL_KILL))
            continue;
        if (!window_is_violation(&run->verdicts[i])) {
            if (open)
                open->close = op_before(run, i);
            open = NULL;
            continue;
        }
        if (!open) {
            open = add(windows, (struct window){.model = MODEL_KILL,
                                                .open = op_before(run, i),
                                                .close = UINT32_MAX,
                                                .first = i});
        }
        open->states++;
    }
}

/* The window of a kill that is open when op `op` begins and not closed before it ends. */
static struct window *enclosing(struct windows *windows, size_t killed, uint32_t op)
{
    for (size_t i = 0; i < killed; i++) {
        struct window *window = &windows->items[i];
        const bool is_open = window->open == UINT32_MAX || window->open < op;
        if (is_open && (window->close == UINT32_MAX || op <= window->close))
            return window;
    }
    return NULL;
}

static void find_torn(const struct run *run, struct windows *windows)
{
    const size_t killed = windows->count;
    struct window *last = NULL;
    for (size_t i = 0; i < run->states_count; i++) {
        if (!is_checked(run, i, MODEL_TORN) || !window_is_violation(&run->verdicts[i]))
            continue;
        const uint32_t op = run->states[i].op;
        struct window *around = enclosing(windows, killed, op);
        if (!around && (!last || last->open != op)) {
            last = add(windows,
                       (struct window){.model = MODEL_TORN, .open = op, .close = op, .first = i});
        }
        (around ? around : last)->states++;
    }
}

size_t window_find(const struct run *run, struct window **out)
{
    struct windows windows = {0};
    find_killed(run, &windows);
    find_torn(run, &windows);
    *out = windows.items;
    return windows.count;
}
