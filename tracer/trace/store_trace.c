#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "recoveries.h"
#include "robust_place.h"
#include "store.h"
#include "store_rows.h"
#include "store_sound.h"
#include "store_value.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static const struct store_field op_fields[] = {
    STORE_FIELD(op, kind),    STORE_FIELD(op, call),         STORE_FIELD(op, thread),
    STORE_FIELD(op, enter),   STORE_FIELD(op, flags),        STORE_FIELD(op, node),
    STORE_FIELD(op, node2),   STORE_FIELD(op, dir),          STORE_FIELD(op, dir2),
    STORE_FIELD(op, name),    STORE_FIELD(op, name2),        STORE_FIELD(op, path),
    STORE_FIELD(op, path2),   STORE_FIELD(op, offset),       STORE_FIELD(op, size),
    STORE_FIELD(op, payload), STORE_FIELD(op, payload_size), STORE_FIELD(op, mode),
    STORE_FIELD(op, uid),     STORE_FIELD(op, gid),          STORE_FIELD(op, call_flags),
    STORE_FIELD(op, error),   STORE_FIELD(op, stack),        STORE_FIELD(op, time_ns),
};
static const struct store_field thread_fields[] = {
    STORE_FIELD(trace_thread, pid),     STORE_FIELD(trace_thread, tid),
    STORE_FIELD(trace_thread, parent),  STORE_FIELD(trace_thread, program),
    STORE_FIELD(trace_thread, is_main),
};
static const struct store_field frame_fields[] = {
    STORE_FIELD(trace_frame, address), STORE_FIELD(trace_frame, offset),
    STORE_FIELD(trace_frame, module),  STORE_FIELD(trace_frame, function),
    STORE_FIELD(trace_frame, file),    STORE_FIELD(trace_frame, line),
};
static const struct store_field recovery_fields[] = {
    {"first", offsetof(struct trace_recovery, first), sizeof(uint32_t)},
    {"count", offsetof(struct trace_recovery, count), sizeof(uint32_t)},
    {"state", offsetof(struct trace_recovery, state), sizeof(uint32_t)},
    {"model", offsetof(struct trace_recovery, model), sizeof(uint8_t)},
    {"op", offsetof(struct trace_recovery, op), sizeof(uint32_t)},
    {"variant", offsetof(struct trace_recovery, variant), sizeof(uint64_t)},
    {"state_id", offsetof(struct trace_recovery, id), sizeof(uint64_t)},
    {"acked_bytes", offsetof(struct trace_recovery, acked_bytes), sizeof(uint64_t)},
    {"sent_messages", offsetof(struct trace_recovery, sent_messages), sizeof(uint32_t)},
};
static const struct store_field robust_fields[] = {
    STORE_FIELD(robust_place, node),
    STORE_FIELD(robust_place, offset),
    STORE_FIELD(robust_place, tid),
    STORE_FIELD(robust_place, thread),
    {"from_op", offsetof(struct robust_place, from), sizeof(uint32_t)},
    {"to_op", offsetof(struct robust_place, to), sizeof(uint32_t)},
    STORE_FIELD(robust_place, payload),
    STORE_FIELD(robust_place, recovery),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
static const struct store_rows op_rows = {"op", sizeof(struct op), op_fields, COUNT(op_fields)};
static const struct store_rows thread_rows = {"thread", sizeof(struct trace_thread), thread_fields,
                                              COUNT(thread_fields)};
static const struct store_rows frame_rows = {"frame", sizeof(struct trace_frame), frame_fields,
                                             COUNT(frame_fields)};

static const struct store_rows recovery_rows = {"recovery", sizeof(struct trace_recovery),
                                                recovery_fields, COUNT(recovery_fields)};
static const struct store_rows recovery_op_rows = {"recovery_op", sizeof(struct op), op_fields,
                                                   COUNT(op_fields)};
static const struct store_rows robust_rows = {"robust", sizeof(struct robust_place), robust_fields,
                                              COUNT(robust_fields)};

static bool write_strings(struct store *store, const struct trace *trace, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "INSERT INTO string VALUES(?, ?)", &query, err))
        return false;
    for (size_t i = 0; i < trace->strings.count; i++) {
        query_put(&query, i);
        query_put_text(&query, trace->strings.items[i]);
        if (!query_done(&query, err))
            return false;
    }
    return true;
}

static bool read_strings(struct store *store, struct trace *trace, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "SELECT id, text FROM string ORDER BY id", &query, err))
        return false;
    for (;;) {
        bool has_row = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row)
            return true;
        const uint64_t id = query_take(&query);
        if (strings_add(&trace->strings, query_borrow_text(&query)) != id)
            return store_damaged("its table of strings", err);
    }
}

static bool write_stacks(struct store *store, const struct trace *trace, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "INSERT INTO stack VALUES(?, ?, ?)", &query, err))
        return false;
    for (uint32_t i = 0; i < trace->stacks_count; i++) {
        const struct trace_stack *stack = &trace->stacks[i];
        for (uint32_t depth = 0; depth < stack->count; depth++) {
            query_put(&query, i);
            query_put(&query, depth);
            query_put(&query, trace->stack_frames[stack->first + depth]);
            if (!query_done(&query, err))
                return false;
        }
    }
    return true;
}

/* One more frame for the stack `id`; false when the numbers make no sense. Rows come in order. */
static bool add_frame(struct trace *trace, uint64_t id, uint64_t depth, uint64_t frame)
{
    if (id >= trace->stacks_count || frame >= trace->frames_count)
        return false;
    struct trace_stack *stack = &trace->stacks[id];
    if (depth != stack->count)
        return false;
    if (depth == 0)
        stack->first = trace->stack_frames_count;
    stack->count++;
    trace->stack_frames[trace->stack_frames_count++] = (uint32_t)frame;
    return true;
}

static bool read_stacks(struct store *store, struct trace *trace, struct err *err)
{
    uint64_t stacks = 0;
    struct query query OWN(query_close) = {0};
    if (!store_number_get(store, "trace.stacks", &stacks, err) ||
        !query_open(store, "SELECT id, depth, frame FROM stack ORDER BY id, depth", &query, err))
        return false;
    if (stacks > UINT32_MAX)
        return store_damaged("its number of stacks", err);
    trace->stacks_count = (uint32_t)stacks;
    trace->stacks = mem_new(stacks, sizeof *trace->stacks);
    size_t capacity = 0;
    for (;;) {
        bool has_row = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row)
            return true;
        mem_grow(&trace->stack_frames, &capacity, (size_t)trace->stack_frames_count + 1,
                 sizeof *trace->stack_frames);
        const uint64_t id = query_take(&query);
        const uint64_t depth = query_take(&query);
        if (!add_frame(trace, id, depth, query_take(&query)))
            return store_damaged("its table of stacks", err);
    }
}

enum {
    INITIAL,
    NODES,
    STACKS,
    PAYLOAD,
    WAIT_STATUS,
    PROCESSES,
    IO_URING,
    LEFT,
    STOPS,
    STARTED,
    ELAPSED,
    NUMBERS
};

/* Names in the order of the enum, and the values of a trace. */
static void list_numbers(const struct trace *trace, struct store_number numbers[NUMBERS + 1])
{
    const struct trace_about *about = &trace->about;
    const struct store_number list[NUMBERS + 1] = {
        [INITIAL] = {"trace.initial", trace->initial},
        [NODES] = {"trace.nodes", trace->nodes},
        [STACKS] = {"trace.stacks", trace->stacks_count},
        [PAYLOAD] = {"trace.payload_size", trace->payload_size},
        [WAIT_STATUS] = {"trace.wait_status", (uint64_t)about->wait_status},
        [PROCESSES] = {"trace.processes", about->processes},
        [IO_URING] = {"trace.io_uring_refused", about->io_uring_refused},
        [LEFT] = {"trace.left_processes", about->left_processes},
        [STOPS] = {"trace.stops", about->stops},
        [STARTED] = {"trace.started_ns", (uint64_t)about->started_ns},
        [ELAPSED] = {"trace.elapsed_ns", (uint64_t)about->elapsed_ns},
    };
    memcpy(numbers, list, sizeof list);
}

static void take_numbers(struct trace *trace, const struct store_number *numbers)
{
    struct trace_about *about = &trace->about;
    trace->initial = (uint32_t)numbers[INITIAL].value;
    trace->nodes = (uint32_t)numbers[NODES].value;
    about->wait_status = (int)numbers[WAIT_STATUS].value;
    about->processes = (uint32_t)numbers[PROCESSES].value;
    about->io_uring_refused = (uint32_t)numbers[IO_URING].value;
    about->left_processes = (uint32_t)numbers[LEFT].value;
    about->stops = numbers[STOPS].value;
    about->started_ns = (int64_t)numbers[STARTED].value;
    about->elapsed_ns = (int64_t)numbers[ELAPSED].value;
}

static bool write_about(struct store *store, const struct trace *trace, struct err *err)
{
    const struct trace_about *about = &trace->about;
    struct store_number numbers[NUMBERS + 1];
    list_numbers(trace, numbers);
    size_t words = 0;
    while (about->argv && about->argv[words])
        words++;
    return store_numbers_set(store, numbers, err) &&
           store_set(store, "trace.workspace", about->workspace, err) &&
           store_lines_set(store, "trace.argv", about->argv, words, err) &&
           store_lines_set(store, "trace.notes", about->notes, about->notes_count, err);
}

static bool read_about(struct store *store, struct trace *trace, struct err *err)
{
    struct trace_about *about = &trace->about;
    struct store_number numbers[NUMBERS + 1];
    list_numbers(trace, numbers);
    size_t words = 0;
    if (!store_numbers_get(store, numbers, err))
        return false;
    take_numbers(trace, numbers);
    return store_get(store, "trace.workspace", &about->workspace, err) &&
           store_lines_get(store, "trace.argv", &about->argv, &words, err) &&
           store_lines_get(store, "trace.notes", &about->notes, &about->notes_count, err);
}

static bool write_tables(struct store *store, const struct trace *trace, struct err *err)
{
    return write_about(store, trace, err) && write_strings(store, trace, err) &&
           store_rows_write(store, &op_rows, trace->ops, trace->count, err) &&
           store_rows_write(store, &thread_rows, trace->threads, trace->threads_count, err) &&
           store_rows_write(store, &frame_rows, trace->frames, trace->frames_count, err) &&
           write_stacks(store, trace, err) &&
           store_rows_write(store, &recovery_rows, trace->recoveries, trace->recoveries_count,
                            err) &&
           store_rows_write(store, &recovery_op_rows, trace->recovery_ops,
                            trace->recovery_ops_count, err) &&
           store_rows_write(store, &robust_rows, trace->robust, trace->robust_count, err);
}

bool store_write_trace(struct store *store, const struct trace *trace, struct err *err)
{
    return store_begin(store, err) && store_end(store, write_tables(store, trace, err), err) &&
           store_set_mode(store, STORE_CAREFUL, err);
}

static bool read_payload(struct store *store, struct trace *trace, struct err *err)
{
    uint64_t size = 0;
    if (!store_number_get(store, "trace.payload_size", &size, err))
        return false;
    const int fd = openat(store->dir_fd, "run.payload", O_RDONLY | O_CLOEXEC);
    if (fd < 0 && size == 0)
        return true;
    if (fd < 0)
        return err_system(err, "open run.payload");
    if (!trace_set_payload(trace, fd, err))
        return false;
    if (trace->payload_size < size) {
        return err_usage(err, "run.payload was cut short: it has %llu of %llu bytes",
                         (unsigned long long)trace->payload_size, (unsigned long long)size);
    }
    return true;
}

static bool read_recoveries(struct store *store, struct trace *trace, struct err *err)
{
    void *recoveries = NULL, *ops = NULL;
    if (!store_rows_read(store, &recovery_rows, &recoveries, &trace->recoveries_count, err))
        return false;
    trace->recoveries = recoveries;
    if (!store_rows_read(store, &recovery_op_rows, &ops, &trace->recovery_ops_count, err))
        return false;
    trace->recovery_ops = ops;
    return true;
}

static bool read_robust(struct store *store, struct trace *trace, struct err *err)
{
    void *places = NULL;
    if (!store_rows_read(store, &robust_rows, &places, &trace->robust_count, err))
        return false;
    trace->robust = places;
    return true;
}

static bool read_tables(struct store *store, struct trace *trace, struct err *err)
{
    void *ops = NULL, *threads = NULL, *frames = NULL;
    if (!read_about(store, trace, err) || !read_strings(store, trace, err) ||
        !store_rows_read(store, &op_rows, &ops, &trace->count, err))
        return false;
    trace->ops = ops;
    if (!store_rows_read(store, &thread_rows, &threads, &trace->threads_count, err))
        return false;
    trace->threads = threads;
    if (!store_rows_read(store, &frame_rows, &frames, &trace->frames_count, err))
        return false;
    trace->frames = frames;
    return read_stacks(store, trace, err) && read_recoveries(store, trace, err) &&
           read_robust(store, trace, err) && read_payload(store, trace, err) &&
           store_sound(trace, err);
}

bool store_read_trace(struct store *store, struct trace *out, struct err *err)
{
    struct trace trace OWN(trace_fini);
    trace_init(&trace);
    if (!read_tables(store, &trace, err))
        return false;
    trace_index(&trace);
    *out = trace;
    trace_init(&trace); /* the caller owns it now */
    return true;
}
