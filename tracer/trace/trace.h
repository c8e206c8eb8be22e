/* trace.h - one recorded run: its ops with everything they refer to.
 *
 * The first `initial` ops build the workspace as it was when the recording began; they have no
 * crash points and are durable. The ops after them are what the worker did, in the kernel's order.
 *
 * A trace is written by the recorder (trace_writer.h), kept in a run store (store.h) and read by
 * everything else. After that it never changes, so that slots can share it over fork. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "op.h"
#include "tracer/base/err.h"
#include "tracer/base/strings.h"

/* A thread of the worker. Number 0 is the worker's first. Numbers follow the order of starting. */
struct trace_thread {
    uint32_t pid; /* process (thread group), as the recording saw it */
    uint32_t tid;
    uint32_t parent;  /* number of the thread that made it; its own for number 0 */
    uint32_t program; /* string: what it ran last */
    uint8_t is_main;  /* tid == pid: its end is the end of a process */
};

/* Where one return address lies. Strings by number; 0: not known. */
struct trace_frame {
    uint64_t address; /* in the worker's memory */
    uint64_t offset;  /* in the module's file */
    uint32_t module;  /* path of the file */
    uint32_t function;
    uint32_t file;
    uint32_t line;
};

/* A call stack: `count` numbers into trace.frames from trace.stack_frames[first], innermost first.
 */
struct trace_stack {
    uint32_t first;
    uint32_t count;
};

/* How and with what the run was recorded. */
struct trace_about {
    char *workspace; /* absolute path that worker, recovery and check see */
    char **argv;     /* NULL-terminated: the worker */
    int wait_status; /* of the worker's first process */
    uint32_t processes;
    uint32_t io_uring_refused; /* times that io_uring_setup or io_setup was answered ENOSYS */
    uint32_t left_processes;   /* alive after the main process had ended; killed */
    uint64_t stops;            /* ptrace stops taken, for the benchmarks */
    int64_t started_ns;        /* since 1970 */
    int64_t elapsed_ns;
    char **notes; /* lines for the user: what was written outside, setuid execs, ...; notes_count */
    size_t notes_count;
};

/* What stdout had accepted (bytes) and what had been sent (messages). */
struct trace_promised {
    uint64_t acked_bytes;
    uint32_t sent_messages;
};

/* An op that promised something, and what had been promised with it. */
struct trace_promise {
    struct trace_promised sum;
    uint32_t op;
};

struct trace {
    struct op *ops;
    uint32_t count;
    uint32_t initial;
    uint32_t nodes; /* one more than the highest node number */
    struct strings strings;
    struct trace_thread *threads;
    uint32_t threads_count;
    struct trace_frame *frames;
    uint32_t frames_count;
    struct trace_stack *stacks; /* number 0 is the empty stack */
    uint32_t stacks_count;
    uint32_t *stack_frames;
    uint32_t stack_frames_count;
    struct trace_about about;
    int payload_fd; /* -1: no payload */
    uint64_t payload_size;
    const uint8_t *payload_map;     /* NULL when the payload is too large to map */
    struct trace_promise *promises; /* see trace_index */
    uint32_t promises_count;
    uint32_t indexed;                  /* ops that `promises` covers */
    struct trace_recovery *recoveries; /* see recoveries.h */
    struct op *recovery_ops;           /* of all of them, one behind the other */
    uint32_t recoveries_count, recovery_ops_count;
    struct robust_place *robust; /* see robust_place.h */
    uint32_t robust_count;
    uint32_t recovery; /* of which these are the ops, plus one; 0: of the worker */
};

/* An empty trace that owns nothing (payload_fd = -1). */
void trace_init(struct trace *trace);
void trace_fini(struct trace *trace);

/* Takes the payload file: maps it when that is cheap. Takes fd over. */
MUST_USE bool trace_set_payload(struct trace *trace, int fd, struct err *err);

/* The same for a file that still grows: never mapped; the caller keeps payload_size right. */
void trace_follow_payload(struct trace *trace, int fd);

/* Copies bytes [at, at + size) of the payload file to `to`. A short or failed read is a CHECK-free
 * err: the file lies on the user's disk. */
MUST_USE bool trace_read(const struct trace *trace, uint64_t at, void *to, size_t size,
                         struct err *err);

static inline const char *trace_string(const struct trace *trace, uint32_t number)
{
    return strings_get(&trace->strings, number);
}

/* Number of crash points: one before the worker's first op, one after each of its ops that is one
 * (op_is_crash_point, and no OP_MORE). Crash point positions are op indexes: position k means ops
 * [0, k) are done. trace_next_point gives the first position > k, or 0 when there is none; start
 * with k = trace->initial, which is itself the first crash point. */
uint32_t trace_points(const struct trace *trace);
uint32_t trace_next_point(const struct trace *trace, uint32_t k);

/* Makes trace_promised fast; trace_writer_finish and store_read_trace call it. A trace made by hand
 * works without it. */
void trace_index(struct trace *trace);

/* What was promised in ops [0, k). */
struct trace_promised trace_promised(const struct trace *trace, uint32_t k);

/* The innermost frame that has a source line, else the innermost with a function outside libc, else
 * NULL. "store.c:214 save" is made of it by trace_where (caller frees; NULL when nothing is known).
 */
const struct trace_frame *trace_frame_of(const struct trace *trace, const struct op *op);
char *trace_where(const struct trace *trace, const struct op *op);

/* What one op did, as one line for people: `rename db.tmp to db`. Caller frees. Names are escaped
 * (base/text.h), so that a newline in one cannot forge a line. */
char *trace_sentence(const struct trace *trace, const struct op *op);

#endif
