/* resolve.h - function, file and line of places in a module's file. */
#ifndef PTRACE_RESOLVE_H
#define PTRACE_RESOLVE_H

#include "module.h"
#include "tracer/trace/trace.h"

/* Fills in the frames of the trace with these numbers, all of this module. What is not known stays
 * as it is. */
void resolve_frames(struct trace *trace, const struct module *module, const uint32_t *numbers,
                    size_t count);

#endif
