#include "halt_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

enum { BYTES_SHOWN = 200 };

char *halt_report_end(int status)
{
    if (WIFEXITED(status))
        return mem_format("exited with %d", WEXITSTATUS(status));
    const char *name = sigabbrev_np(WTERMSIG(status));
    return name == NULL ? mem_format("was killed by signal %d", WTERMSIG(status))
                        : mem_format("was killed by signal %d (SIG%s)", WTERMSIG(status), name);
}

static bool is_sent(const struct op *op)
{
    return op->kind == OP_WRITE || op->kind == OP_OUTPUT || op->kind == OP_SEND ||
           op->kind == OP_RECEIVE;
}

static bool has_peer(const struct op *op)
{
    return op->kind == OP_CONNECT || op->kind == OP_SEND || op->kind == OP_RECEIVE ||
           op->kind == OP_SHUTDOWN;
}

/* The first line of the call's bytes, as far as it is not too long. */
static void print_bytes(const struct op *op, const struct trace *trace, FILE *to)
{
    char bytes[BYTES_SHOWN];
    struct err err = {0};
    const size_t size =
        op->payload_size < BYTES_SHOWN ? (size_t)op->payload_size : (size_t)BYTES_SHOWN;
    if (size == 0 || !trace_read(trace, op->payload, bytes, size, &err))
        return;
    const char *end = memchr(bytes, '\n', size);
    const size_t line = end != NULL ? (size_t)(end - bytes) : size;
    char *shown OWN(own_mem) = text_escape(bytes, line);
    fprintf(to, "  bytes:     %s%s\n", shown, line < op->payload_size ? " ..." : "");
}

static void print_frame(const struct trace *trace, const struct trace_frame *frame, FILE *to)
{
    const char *function = trace_string(trace, frame->function);
    char *name OWN(own_mem) = text_escape(*function != '\0' ? function : "?", SIZE_MAX);
    const uint32_t place = frame->line != 0 ? frame->file : frame->module;
    char *file OWN(own_mem) = text_escape(trace_string(trace, place), SIZE_MAX);
    if (frame->line != 0) {
        fprintf(to, "             %s at %s:%" PRIu32 "\n", name, file, frame->line);
    } else {
        fprintf(to, "             %s in %s+%#" PRIx64 "\n", name, file, frame->offset);
    }
}

static void print_stack(const struct op *op, const struct trace *trace, FILE *to)
{
    if (op->stack == 0 || op->stack >= trace->stacks_count)
        return;
    const struct trace_stack *stack = &trace->stacks[op->stack];
    fputs("  backtrace:\n", to);
    for (uint32_t i = 0; i < stack->count; i++)
        print_frame(trace, &trace->frames[trace->stack_frames[stack->first + i]], to);
}

static void print_place(const struct barrier *barrier, const struct record_halted *halted, FILE *to)
{
    const struct op *op = &halted->op;
    char *words OWN(own_mem) = barrier_describe(barrier);
    char *shown OWN(own_mem) = text_escape(words, SIZE_MAX);
    fprintf(to, "brink: halted at the barrier %s\n", shown);
    switch (barrier->where) {
    case BARRIER_BEFORE:
        fprintf(to, "  call:      %s, which was not done\n", op_call_name(op));
        return;
    case BARRIER_INSIDE:
        fprintf(to, "  call:      %s, of which %" PRIu64 " of %" PRIu64 " bytes were done\n",
                op_call_name(op), halted->done, op->payload_size);
        return;
    case BARRIER_AFTER:
        fprintf(to, "  call:      %s, which was done\n", op_call_name(op));
        return;
    }
}

static void print_deed(const struct barrier *barrier, const struct record_halted *halted, FILE *to)
{
    fputs("  done:      ", to);
    if (halted->has_synced)
        fputs("what was written was synced; ", to);
    if (barrier->does_exit) {
        fprintf(to, "the process exited with %d", WEXITSTATUS(halted->status));
        if (halted->processes > 1)
            fprintf(to, ", %" PRIu32 " others were killed", halted->processes - 1);
    } else {
        fprintf(to, "SIGKILL to %s%" PRIu32 " %s", halted->processes == 1 ? "" : "all ",
                halted->processes, halted->processes == 1 ? "process" : "processes");
    }
    fputs("; verified by wait status\n", to);
}

void halt_report_print(const struct barrier *barrier, const struct record_halted *halted,
                       const struct trace *trace, FILE *to)
{
    const struct op *op = &halted->op;
    char *sentence OWN(own_mem) = trace_sentence(trace, op);
    print_place(barrier, halted, to);
    fprintf(to, "  what:      %s\n", sentence);
    if (is_sent(op))
        print_bytes(op, trace, to);
    if (has_peer(op)) {
        char *peer OWN(own_mem) = text_escape(trace_string(trace, op->path), SIZE_MAX);
        fprintf(to, "  peer:      %s\n", peer);
    }
    const struct trace_thread *thread = &trace->threads[halted->thread];
    char *program OWN(own_mem) = text_escape(trace_string(trace, thread->program), SIZE_MAX);
    fprintf(to, "  thread:    %" PRIu32 " (process %d, thread %d, %s)\n", halted->thread,
            (int)halted->pid, (int)halted->tid, program);
    print_stack(op, trace, to);
    print_deed(barrier, halted, to);
    if (halted->reached > barrier->nth) {
        fprintf(to, "  note:      the barrier was reached %" PRIu64 " times with this call\n",
                halted->reached);
    }
}
