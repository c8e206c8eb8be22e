/* walk.h - from frame to frame with libunwind, over a stack_view.
 *
 * libunwind gets accessors of our own: registers and the stack come from the view, code and unwind
 * tables from the modules that the process's code_map names, so it never parses maps or opens files
 * itself, and what one process has had read serves the others.
 * One walker serves one process; libunwind keeps what it has learned of each address there. */
#ifndef PTRACE_WALK_H
#define PTRACE_WALK_H

#include "code_map.h"
#include "stack_view.h"

enum { WALK_FRAMES_MAX = 64 };

struct walker;

/* Everything is borrowed and must outlive the walker. */
struct walker *walker_new(struct stack_view *view, struct code_map *code, struct modules *modules);
void walker_free(struct walker *walker);

/* The process has new code. */
void walker_forget(struct walker *walker);

/* The addresses of the view's stack, innermost first. ended_blind: the last one lies in a module
 * without a table, where other means may go on. */
struct walk_result {
    uint64_t addresses[WALK_FRAMES_MAX];
    size_t count;
    bool ended_blind;
};
void walker_walk(struct walker *walker, struct walk_result *result);

#endif
