#include "trace_writer.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/base/mem.h"

static void begin(struct trace_writer *writer, struct trace *trace)
{
    const int fd = memfd_create("payload", MFD_CLOEXEC);
    cr_assert_geq(fd, 0);
    trace_init(trace);
    trace_writer_init(writer, trace, fd);
}

static void finish(struct trace_writer *writer)
{
    struct err err = {0};
    cr_assert(trace_writer_finish(writer, &err), "%s", err.text);
    trace_writer_fini(writer);
}

static uint64_t put(struct trace_writer *writer, const void *bytes, size_t size)
{
    uint64_t at = UINT64_MAX;
    struct err err = {0};
    cr_assert(trace_writer_payload(writer, bytes, size, &at, &err), "%s", err.text);
    return at;
}

Test(trace_writer, pieces_of_any_size_lie_one_after_the_other_and_read_back)
{
    static const size_t sizes[] = {0, 1, 100, 1 << 20, 3, (1 << 20) + 1, 5 << 20, 7, 1 << 20, 1};
    enum { PIECES = sizeof sizes / sizeof *sizes };
    struct trace_writer writer;
    struct trace trace;
    struct err err = {0};
    uint64_t total = 0;
    begin(&writer, &trace);
    for (size_t i = 0; i < PIECES; i++) {
        char *bytes = mem_new(sizes[i], 1);
        memset(bytes, (int)('a' + i), sizes[i]);
        cr_assert_eq(put(&writer, bytes, sizes[i]), total, "piece %zu", i);
        total += sizes[i];
        free(bytes);
    }
    finish(&writer);
    cr_assert_eq(trace.payload_size, total);
    char *all = mem_new(total, 1);
    cr_assert(trace_read(&trace, 0, all, total, &err), "%s", err.text);
    const char *at = all;
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t byte = 0; byte < sizes[i]; byte++)
            cr_assert_eq(at[byte], (char)('a' + i), "byte %zu of piece %zu", byte, i);
        at += sizes[i];
    }
    free(all);
    trace_fini(&trace);
}

Test(trace_writer, room_that_was_not_used_is_given_back)
{
    struct trace_writer writer;
    struct trace trace;
    struct err err = {0};
    uint64_t at = 0;
    char got[6] = {0};
    begin(&writer, &trace);
    put(&writer, "ab", 2);
    char *room = trace_writer_room(&writer, 1 << 20, &at, &err);
    cr_assert_not_null(room);
    cr_expect_eq(at, 2);
    memcpy(room, "cd", 2);
    trace_writer_shrink(&writer, (1 << 20) - 2);
    cr_expect_eq(put(&writer, "e", 1), 4);
    finish(&writer);
    cr_expect_eq(trace.payload_size, 5);
    cr_assert(trace_read(&trace, 0, got, 5, &err), "%s", err.text);
    cr_expect_str_eq(got, "abcde");
    trace_fini(&trace);
}

Test(trace_writer, a_full_disk_is_an_error_that_says_so)
{
    struct trace_writer writer;
    struct trace trace;
    struct err err = {0};
    uint64_t at;
    trace_init(&trace);
    trace_writer_init(&writer, &trace, open("/dev/full", O_RDWR | O_CLOEXEC));
    put(&writer, "ab", 2);
    char *large = mem_new(2 << 20, 1);
    cr_expect_not(trace_writer_payload(&writer, large, 2 << 20, &at, &err));
    cr_expect_str_eq(err.text,
                     "write the recorded bytes to the payload file: No space left on device");
    err = (struct err){0};
    cr_expect_not(trace_writer_finish(&writer, &err));
    cr_expect_eq(err.os_errno, ENOSPC);
    free(large);
    trace_writer_fini(&writer);
    trace_fini(&trace);
}

Test(trace_writer, ops_threads_and_nodes_are_numbered_in_order)
{
    struct trace_writer writer;
    struct trace trace;
    const struct trace_thread thread = {.pid = 5};
    begin(&writer, &trace);
    cr_expect_eq(trace_writer_node(&writer), NODE_ROOT + 1);
    cr_expect_eq(trace_writer_node(&writer), NODE_ROOT + 2);
    cr_expect_eq(trace.nodes, NODE_ROOT + 3);
    cr_expect_eq(trace_writer_thread(&writer, &thread), 0);
    cr_expect_eq(trace_writer_thread(&writer, &thread), 1);
    for (uint32_t i = 0; i < 1000; i++) {
        const struct op op = {.offset = i};
        cr_assert_eq(trace_writer_op(&writer, &op), i);
    }
    for (uint32_t i = 0; i < 1000; i++)
        cr_assert_eq(trace.ops[i].offset, i);
    finish(&writer);
    trace_fini(&trace);
}

Test(trace_writer, equal_stacks_share_a_number_and_a_prefix_is_another_stack)
{
    struct trace_writer writer;
    struct trace trace;
    static const uint32_t frames[] = {4, 2, 9};
    begin(&writer, &trace);
    cr_expect_eq(trace_writer_stack(&writer, frames, 0), 0);
    const uint32_t whole = trace_writer_stack(&writer, frames, 3);
    const uint32_t part = trace_writer_stack(&writer, frames, 2);
    cr_expect(whole != 0 && part != 0 && whole != part);
    cr_expect_eq(trace_writer_stack(&writer, frames, 3), whole);
    cr_expect_eq(trace_writer_stack(&writer, frames, 2), part);
    cr_expect_arr_eq(trace.stack_frames + trace.stacks[whole].first, frames, sizeof frames);
    cr_expect_eq(trace.stacks[0].count, 0);
    finish(&writer);
    trace_fini(&trace);
}

Test(trace_writer, a_frame_is_new_once)
{
    struct trace_writer writer;
    struct trace trace;
    bool is_new = false;
    begin(&writer, &trace);
    const uint32_t first = trace_writer_frame(&writer, 0x1000, &is_new);
    cr_expect(is_new);
    cr_expect_neq(trace_writer_frame(&writer, 0x2000, &is_new), first);
    cr_expect(is_new);
    cr_expect_eq(trace_writer_frame(&writer, 0x1000, &is_new), first);
    cr_expect_not(is_new);
    finish(&writer);
    trace_fini(&trace);
}

Test(trace_writer, a_note_is_kept_once)
{
    struct trace_writer writer;
    struct trace trace;
    begin(&writer, &trace);
    trace_writer_note(&writer, "wrote to %s", "/var/log/x");
    trace_writer_note(&writer, "wrote to %s", "/var/log/y");
    trace_writer_note(&writer, "wrote to %s", "/var/log/x");
    cr_assert_eq(trace.about.notes_count, 2);
    cr_expect_str_eq(trace.about.notes[1], "wrote to /var/log/y");
    finish(&writer);
    trace_fini(&trace);
}
