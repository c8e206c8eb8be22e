/* dwarf_walk.h - from frame to frame with elfutils, where libunwind finds no table.
 *
 * Static binaries have .eh_frame without the table that libunwind searches, and Go's have only
 * .debug_frame; elfutils reads both. It starts more slowly, so it is asked second. */
#ifndef PTRACE_DWARF_WALK_H
#define PTRACE_DWARF_WALK_H

#include "frame_walker.h"

struct dwarf_walker;

/* As frame_walker_new. */
struct dwarf_walker *dwarf_walker_new(struct stack_view *view, struct code_map *code,
                                      struct modules *modules);
void dwarf_walker_free(struct dwarf_walker *walker);

void dwarf_walker_walk(struct dwarf_walker *walker, struct walk_result *result);

#endif
