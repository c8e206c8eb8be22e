/* unwind.h - the return addresses of a stopped thread, cheaply; their names later, once each.
 *
 * libunwind with accessors of our own (whole pages of the stack at a time, registers in one read)
 * walks the frames; where it stops at once (static binaries, no eh_frame header) elfutils goes on.
 * Frames are identified by module and offset, so that equal places in two processes are one. */
#ifndef PTRACE_UNWIND_H
#define PTRACE_UNWIND_H

#include <sys/types.h>

#include "tracer/trace/trace_writer.h"

struct unwinder;

/* Frames and stacks go to the writer's trace. */
struct unwinder *unwinder_new(struct trace_writer *writer);
void unwinder_free(struct unwinder *unwinder);

/* The number of the current call stack of a thread at a ptrace stop; 0 when nothing could be
 * walked. process: its thread group. Never fails: a trace without a stack is still right. */
uint32_t unwinder_stack(struct unwinder *unwinder, pid_t process, pid_t tid);

/* The process has new code: after exec, and after an mmap with PROT_EXEC of a file. */
void unwinder_forget(struct unwinder *unwinder, pid_t process);
void unwinder_remove(struct unwinder *unwinder, pid_t process);

/* Fills function, file and line of all frames of the trace, from the modules' files (debuglink,
 * build-id and split debug files in the usual places; of the C library only functions). Needs no
 * process: the files were kept open when they were first seen, for the worker may have built,
 * replaced or hidden them since. To be called at the end of a recording. */
void unwinder_resolve(struct unwinder *unwinder);

#endif
