#include "trace.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/base/mem.h"

/* Two initial ops, then: a process starts, a promise, a write of two parts, a message, a sync, a
 * line to a log outside. */
static const struct op some_ops[] = {
    {.kind = OP_OUTPUT, .flags = OP_ACKED, .payload_size = 0},
    {.kind = OP_CREATE},
    {.kind = OP_EXEC},
    {.kind = OP_OUTPUT, .flags = OP_ACKED, .payload_size = 10},
    {.kind = OP_STORE, .flags = OP_MORE},
    {.kind = OP_STORE},
    {.kind = OP_SEND, .payload_size = 99},
    {.kind = OP_SYNC},
    {.kind = OP_OUTPUT, .payload_size = 1000},
    {.kind = OP_OUTPUT, .flags = OP_ACKED, .payload_size = 5},
    {.kind = OP_EXIT},
};
enum { SOME_OPS = sizeof some_ops / sizeof *some_ops };

static struct trace some_trace(void)
{
    struct trace trace;
    trace_init(&trace);
    trace.ops = mem_copy(some_ops, sizeof some_ops);
    trace.count = SOME_OPS;
    trace.initial = 2;
    return trace;
}

Test(trace, crash_points_lie_before_the_first_op_and_after_each_that_changes_something)
{
    struct trace trace = some_trace();
    static const uint32_t points[] = {2, 4, 6, 7, 8, 9, 10, 0};
    uint32_t k = trace.initial;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        cr_assert_eq(k, points[i], "point %zu is %u", i, k);
        if (k)
            k = trace_next_point(&trace, k);
    }
    cr_expect_eq(trace_points(&trace), 7);
    cr_expect_eq(trace_next_point(&trace, 0), 4, "the initial ops have none");
    trace_fini(&trace);
}

Test(trace, a_trace_without_ops_of_the_worker_has_one_crash_point)
{
    struct trace trace;
    trace_init(&trace);
    cr_expect_eq(trace_points(&trace), 1);
    cr_expect_eq(trace_next_point(&trace, 0), 0);
    cr_expect_eq(trace_promised(&trace, 0).acked_bytes, 0);
    trace_fini(&trace);
}

Test(trace, only_bytes_to_the_first_stdout_and_messages_are_promises)
{
    struct trace trace = some_trace();
    static const uint64_t acked[SOME_OPS + 1] = {0, 0, 0, 0, 10, 10, 10, 10, 10, 10, 15, 15};
    static const uint32_t sent[SOME_OPS + 1] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    for (int with_index = 0; with_index <= 1; with_index++) {
        for (uint32_t k = 0; k <= SOME_OPS; k++) {
            const struct trace_promised promised = trace_promised(&trace, k);
            cr_expect_eq(promised.acked_bytes, acked[k], "before op %u, index %d", k, with_index);
            cr_expect_eq(promised.sent_messages, sent[k], "before op %u, index %d", k, with_index);
        }
        trace_index(&trace);
    }
    trace_fini(&trace);
}

/* A payload file of the given size with its last byte set. */
static int payload_of(uint64_t size)
{
    const int fd = memfd_create("payload", MFD_CLOEXEC);
    cr_assert_geq(fd, 0);
    cr_assert_eq(ftruncate(fd, (off_t)size), 0);
    cr_assert_eq(pwrite(fd, "x", 1, (off_t)size - 1), 1);
    return fd;
}

static void expect_reading_works(uint64_t size, bool is_mapped)
{
    struct trace trace;
    struct err err = {0};
    char got[3] = "???";
    trace_init(&trace);
    cr_assert(trace_set_payload(&trace, payload_of(size), &err), "%s", err.text);
    cr_expect_eq(trace.payload_size, size);
    cr_expect_eq(trace.payload_map != NULL, is_mapped);
    cr_assert(trace_read(&trace, size - 3, got, 3, &err), "%s", err.text);
    cr_expect_arr_eq(got, "\0\0x", 3);
    cr_expect(trace_read(&trace, size, got, 0, &err), "nothing is always there");
    cr_expect_not(trace_read(&trace, size - 2, got, 3, &err), "one byte beyond the end");
    cr_expect_eq(err.kind, ERR_USAGE);
    err = (struct err){0};
    cr_expect_not(trace_read(&trace, UINT64_MAX, got, 3, &err), "a sum that wraps around");
    trace_fini(&trace);
}

Test(trace, a_small_payload_is_mapped_and_read_to_its_last_byte)
{
    expect_reading_works(UINT64_C(64) << 20, true);
}

Test(trace, a_large_payload_is_read_from_the_file)
{
    expect_reading_works((UINT64_C(64) << 20) + 1, false);
}

Test(trace, a_payload_that_shrinks_meanwhile_is_an_error)
{
    struct trace trace;
    struct err err = {0};
    char got[3];
    const uint64_t size = (UINT64_C(64) << 20) + 1;
    trace_init(&trace);
    cr_assert(trace_set_payload(&trace, payload_of(size), &err));
    cr_assert_eq(ftruncate(trace.payload_fd, 10), 0);
    cr_expect_not(trace_read(&trace, size - 3, got, 3, &err));
    cr_expect_str_eq(err.text, "read the run's payload: it was cut short meanwhile");
    trace_fini(&trace);
}

/* Frames from the innermost; the trace has one stack of all of them. */
static struct trace trace_of_frames(const char *const (*rows)[3], const uint32_t *lines,
                                    uint32_t count)
{
    struct trace trace;
    trace_init(&trace);
    trace.frames = mem_new(count, sizeof *trace.frames);
    trace.frames_count = count;
    trace.stacks = mem_new(2, sizeof *trace.stacks);
    trace.stacks_count = 2;
    trace.stacks[1] = (struct trace_stack){0, count};
    trace.stack_frames = mem_new(count, sizeof *trace.stack_frames);
    trace.stack_frames_count = count;
    for (uint32_t i = 0; i < count; i++) {
        trace.stack_frames[i] = i;
        trace.frames[i] = (struct trace_frame){.module = strings_add(&trace.strings, rows[i][0]),
                                               .function = strings_add(&trace.strings, rows[i][1]),
                                               .file = strings_add(&trace.strings, rows[i][2]),
                                               .line = lines[i]};
    }
    return trace;
}

static void expect_where(const char *const (*rows)[3], const uint32_t *lines, uint32_t count,
                         const char *expected)
{
    struct trace trace = trace_of_frames(rows, lines, count);
    const struct op op = {.kind = OP_WRITE, .call = 1, .stack = 1};
    char *where = trace_where(&trace, &op);
    if (expected)
        cr_expect_str_eq(where ? where : "nothing", expected);
    else
        cr_expect_null(where);
    free(where);
    trace_fini(&trace);
}

Test(trace, where_is_the_innermost_line_of_the_program_itself)
{
    static const char *const rows[][3] = {
        {"/lib/x86_64-linux-gnu/libc.so.6", "__write", "./io/write.c"},
        {"/bin/w", "put", ""},
        {"/bin/w", "save", "/home/me/store.c"},
        {"/bin/w", "main", "/home/me/main.c"}};
    static const uint32_t lines[] = {26, 0, 214, 3};
    expect_where(rows, lines, 4, "store.c:214 save");
}

Test(trace, where_passes_over_the_wrappers_of_a_language)
{
    static const char *const rows[][3] = {
        {"/bin/w", "syscall.Syscall", "/usr/lib/go/src/syscall/syscall_linux.go"},
        {"/bin/w", "internal/poll.(*FD).Write", "/usr/lib/go/src/internal/poll/fd_unix.go"},
        {"/bin/w", "os.(*File).Write", "/usr/lib/go/src/os/file.go"},
        {"/bin/w", "main.save", "/home/me/main.go"}};
    static const uint32_t lines[] = {1, 2, 3, 40};
    expect_where(rows, lines, 4, "main.go:40 main.save");
    expect_where(rows, lines, 1, "syscall_linux.go:1 syscall.Syscall");
}

Test(trace, where_is_a_function_when_no_line_is_known)
{
    static const char *const rows[][3] = {{"/bin/static", "__libc_write", ""},
                                          {"/lib/libsqlite3.so.0", "unixWrite", ""},
                                          {"/bin/w", "", ""}};
    static const uint32_t lines[] = {0, 0, 0};
    expect_where(rows, lines, 3, "unixWrite in libsqlite3.so.0");
    expect_where(rows, lines, 1, NULL);
    expect_where(rows + 2, lines, 1, NULL);
}

Test(trace, where_of_an_op_without_a_stack_is_not_known)
{
    struct trace trace = some_trace();
    cr_expect_null(trace_where(&trace, &trace.ops[0]));
    trace_fini(&trace);
}
