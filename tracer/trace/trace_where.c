#include <string.h>

#include "trace.h"
#include "tracer/base/mem.h"

/* Which frame of a stack tells a user where in his program a call was made. The innermost ones are
 * the C library's or the language's own wrappers of the call, which would be the same for every op;
 * they are passed over as long as there is anything else. */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool starts_with_any(const char *text, const char *const *prefixes)
{
    for (; *prefixes; prefixes++) {
        if (strncmp(text, *prefixes, strlen(*prefixes)) == 0)
            return true;
    }
    return false;
}

static bool is_libc(const struct trace *trace, const struct trace_frame *frame)
{
    static const char *const modules[] = {"libc.so",      "libc-", "libpthread", "ld-linux",
                                          "ld-musl",      "ld-2.", "libc.musl",  "[vdso]",
                                          "linux-vdso.s", NULL};
    return starts_with_any(base_name(trace_string(trace, frame->module)), modules);
}

/* Go has its wrappers, with source lines, in the program itself. */
static bool is_language_runtime(const struct trace *trace, const struct trace_frame *frame)
{
    static const char *const functions[] = {"syscall.",  "runtime.", "runtime/", "internal/",
                                            "os.(*File", "os.ignor", NULL};
    return starts_with_any(trace_string(trace, frame->function), functions);
}

/* A static program has the C library's function in itself: "write", "__libc_write", "__write64". */
static bool is_named_like_call(const struct trace *trace, const struct trace_frame *frame,
                               const struct op *op)
{
    const char *function = trace_string(trace, frame->function);
    function += strspn(function, "_");
    static const char *const prefixes[] = {"libc_", "GI_", NULL};
    for (const char *const *prefix = prefixes; *prefix; prefix++) {
        if (strncmp(function, *prefix, strlen(*prefix)) == 0)
            function += strlen(*prefix);
    }
    function += strspn(function, "_");
    const char *call = op_call_name(op);
    const size_t size = strcspn(call, "0123456789");
    return strncmp(function, call, size) == 0 &&
           strspn(function + size, "0123456789") == strlen(function + size);
}

enum { BY_OWN_LINE, BY_ANY_LINE, BY_FUNCTION, WAYS };

static bool fits(const struct trace *trace, const struct trace_frame *frame, const struct op *op,
                 int way)
{
    const bool is_libs = is_libc(trace, frame);
    switch (way) {
    case BY_OWN_LINE:
        return frame->line && !is_libs && !is_language_runtime(trace, frame);
    case BY_ANY_LINE:
        return frame->line && !is_libs;
    default:
        return frame->function && !is_libs && !is_named_like_call(trace, frame, op);
    }
}

const struct trace_frame *trace_frame_of(const struct trace *trace, const struct op *op)
{
    if (op->stack == 0 || op->stack >= trace->stacks_count)
        return NULL;
    const struct trace_stack *stack = &trace->stacks[op->stack];
    for (int way = 0; way < WAYS; way++) {
        for (uint32_t i = 0; i < stack->count; i++) {
            const uint32_t number = trace->stack_frames[stack->first + i];
            const struct trace_frame *frame = &trace->frames[number];
            if (fits(trace, frame, op, way))
                return frame;
        }
    }
    return NULL;
}

char *trace_where(const struct trace *trace, const struct op *op)
{
    const struct trace_frame *frame = trace_frame_of(trace, op);
    if (!frame)
        return NULL;
    const char *function = trace_string(trace, frame->function);
    if (frame->line == 0)
        return mem_format("%s in %s", function, base_name(trace_string(trace, frame->module)));
    const char *file = base_name(trace_string(trace, frame->file));
    return mem_format("%s:%u%s%s", file, frame->line, *function ? " " : "", function);
}
