/* frame_walker.h - from frame to frame with libunwind, over a stack_view.
 *
 * libunwind gets accessors of our own: registers and the stack come from the view, code and unwind
 * tables from the modules that the process's code_map names, so it never parses maps or opens files
 * itself, and what one process has had read serves the others.
 * One walker serves one process; libunwind keeps what it has learned of each address there. */
#ifndef PTRACE_FRAME_WALKER_H
#define PTRACE_FRAME_WALKER_H

#include "code_map.h"
#include "stack_view.h"

enum { WALK_FRAMES_MAX = 64 };

struct frame_walker;

/* Everything is borrowed and must outlive the walker. */
struct frame_walker *frame_walker_new(struct stack_view *view, struct code_map *code,
                                      struct modules *modules);
void frame_walker_free(struct frame_walker *walker);

/* The process has new code. */
void frame_walker_forget(struct frame_walker *walker);

/* The addresses of the view's stack, innermost first. ended_blind: the last one lies in a module
 * without a table, where other means may go on. */
struct walk_result {
    uint64_t addresses[WALK_FRAMES_MAX];
    size_t count;
    bool ended_blind;
};
void frame_walker_walk(struct frame_walker *walker, struct walk_result *result);

#endif
