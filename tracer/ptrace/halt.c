#include "halt.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

bool halt_is_before(const struct recorder *recorder)
{
    const struct record_halt *halt = recorder->options->halt;
    return halt != NULL && halt->where == HALT_BEFORE &&
           recorder->writer->trace->count >= halt->op && recorder->serial_tid == 0;
}

bool halt_is_after(const struct recorder *recorder)
{
    const struct record_halt *halt = recorder->options->halt;
    const struct trace *trace = recorder->writer->trace;
    return halt != NULL && halt->where == HALT_AFTER && trace->count > halt->op &&
           (trace->ops[trace->count - 1].flags & OP_MORE) == 0;
}

/* An iovec array is cut in the worker's memory: it will not need it again. */
static bool shorten_vectors(const struct tracee *tracee, uint64_t bytes, struct err *err)
{
    const struct call *call = &tracee->call;
    struct memory_vectors vectors;
    if (!memory_vectors(tracee->tid, call->args[1], call->args[2], &vectors))
        return err_usage(err, "the buffers of the call could not be read");
    for (size_t i = 0; i < vectors.count; i++) {
        if (vectors.items[i].iov_len > bytes)
            vectors.items[i].iov_len = bytes;
        bytes -= vectors.items[i].iov_len;
    }
    if (!memory_write_all(tracee->tid, call->args[1], vectors.items,
                          vectors.count * sizeof *vectors.items))
        return err_system(err, "shorten the buffers of the call");
    return true;
}

static bool shorten_count(const struct tracee *tracee, uint64_t bytes, struct err *err)
{
    struct user_regs_struct regs;
    const long nr = tracee->call.nr;
    if (ptrace(PTRACE_GETREGS, tracee->tid, 0, &regs) == -1)
        return err_system(err, "read the registers of the worker");
    if (nr == SYS_sendfile) {
        regs.r10 = bytes;
    } else if (nr == SYS_copy_file_range || nr == SYS_splice) {
        regs.r8 = bytes;
    } else {
        regs.rdx = bytes;
    }
    if (ptrace(PTRACE_SETREGS, tracee->tid, 0, &regs) == -1)
        return err_system(err, "set the registers of the worker");
    return true;
}

bool halt_shorten(const struct recorder *recorder, const struct tracee *tracee, bool *is_inside,
                  struct err *err)
{
    const struct record_halt *halt = recorder->options->halt;
    const struct call *call = &tracee->call;
    *is_inside = halt != NULL && halt->where == HALT_INSIDE && call->op.kind == OP_WRITE &&
                 recorder->writer->trace->count == halt->op;
    if (!*is_inside)
        return true;
    if ((call->op.flags & OP_VECTOR) != 0)
        return shorten_vectors(tracee, halt->bytes, err);
    return shorten_count(tracee, halt->bytes, err);
}
