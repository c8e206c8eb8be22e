#include "scan.h"

#include "forge_test.h"

TestSuite(scan, .timeout = 60);

static uint8_t bytes[8 * 99];

/* Appends "turn-N" records of the given results; returns the size of all. */
static size_t forge_turns(int count, const int *turns, const int *results)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += forge_turn(bytes + size, turns[i], results[i]);
    return size;
}

static struct scan scan_of(size_t size)
{
    struct scan scan = {0};
    struct fail fail = {0};
    const int fd = forge_file(bytes, size);
    cr_assert(scan_run(fd, NULL, &scan, &fail), "%s", fail.text);
    close(fd);
    return scan;
}

Test(scan, an_empty_file_is_a_valid_journal_without_records)
{
    const struct scan scan = scan_of(0);
    cr_expect_eq(scan.state, FRAME_VALID);
    cr_expect_eq(scan.count, 0);
    cr_expect_eq(scan.file_size, 0);
}

Test(scan, five_records_are_counted_to_the_last_byte)
{
    const size_t size = forge_turns(5, (int[]){1, 2, 3, 4, 5}, (int[]){1, 2, 3, 4, 5});
    const struct scan scan = scan_of(size);
    cr_expect_eq(scan.state, FRAME_VALID);
    cr_expect_eq(scan.count, 5);
    cr_expect_eq(scan.valid_size, 495);
    cr_expect_eq(scan.file_size, 495);
}

Test(scan, a_torn_end_begins_where_the_last_valid_record_ends)
{
    forge_turns(2, (int[]){1, 2}, (int[]){1, 2});
    for (size_t size = 100; size < 198; size++) {
        const struct scan scan = scan_of(size);
        cr_expect_eq(scan.state, FRAME_TORN);
        cr_expect_eq(scan.valid_size, 99);
        cr_expect_eq(scan.file_size, size);
        cr_expect_eq(scan.count, 1);
    }
}

struct order {
    const char *label;
    int turns[3];
    int results[3];
    enum frame_state state;
    uint64_t offset;
};

Test(scan, records_that_are_good_alone_are_refused_where_and_only_where_they_do_not_follow)
{
    static const struct order orders[] = {
        {"first not 1", {1, 2, 3}, {2, 3, 4}, FRAME_BAD_SEQUENCE, 0},
        {"zero", {1, 2, 3}, {0, 1, 2}, FRAME_BAD_SEQUENCE, 0},
        {"negative", {1, 2, 3}, {1, -2, 3}, FRAME_BAD_SEQUENCE, 99},
        {"one left out", {1, 2, 3}, {1, 3, 4}, FRAME_BAD_SEQUENCE, 99},
        {"one again", {1, 2, 3}, {1, 2, 2}, FRAME_BAD_SEQUENCE, 198},
        {"a key that begins another", {10, 1, 2}, {1, 2, 3}, FRAME_VALID, 298},
        {"same key", {1, 2, 1}, {1, 2, 3}, FRAME_DUPLICATE_KEY, 198},
        {"same record", {1, 1, 3}, {1, 1, 3}, FRAME_DUPLICATE_KEY, 99},
    };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const struct order *order = &orders[i];
        const struct scan scan = scan_of(forge_turns(3, order->turns, order->results));
        cr_expect_eq(scan.state, order->state, "%s", order->label);
        cr_expect_eq(scan.valid_size, order->offset, "%s", order->label);
    }
}

/* A limit of the format, and not a wish: the length has no check of its own. */
Test(scan, seven_flips_in_the_first_of_five_records_forget_all_five)
{
    const size_t size = forge_turns(5, (int[]){1, 2, 3, 4, 5}, (int[]){1, 2, 3, 4, 5});
    int forgotten = 0;
    for (int bit = 0; bit < 792; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        const struct scan scan = scan_of(size);
        cr_expect_eq(scan.count, 0);
        forgotten += scan.state == FRAME_TORN;
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    cr_expect_eq(forgotten, 7);
}

struct seen {
    int count;
    uint64_t size;
};

static bool see(void *context, const struct frame *frame, uint64_t offset, struct fail *fail)
{
    struct seen *seen = context;
    (void)fail;
    cr_assert_eq(offset, seen->size);
    seen->count++;
    cr_assert_eq(frame->result, seen->count);
    seen->size += frame->size;
    return true;
}

Test(scan, a_file_of_many_read_windows_is_shown_record_by_record)
{
    enum { COUNT = 20000 };
    uint8_t *large = malloc((size_t)COUNT * 110);
    size_t size = 0;
    for (int i = 1; i <= COUNT; i++)
        size += forge_turn(large + size, i, i);
    const int fd = forge_file(large, size);
    struct seen seen = {0};
    const struct scan_visitor visitor = {see, &seen};
    struct scan scan = {0};
    struct fail fail = {0};
    cr_assert(scan_run(fd, &visitor, &scan, &fail), "%s", fail.text);
    cr_expect_eq(scan.state, FRAME_VALID);
    cr_expect_eq(scan.count, COUNT);
    cr_expect_eq(scan.valid_size, size);
    cr_expect_eq(seen.count, COUNT);
    close(fd);
    free(large);
}

Test(scan, a_file_that_cannot_be_read_is_a_failure_and_not_an_empty_journal)
{
    struct scan scan = {.count = 77};
    struct fail fail = {0};
    const int fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_expect(!scan_run(fd, NULL, &scan, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_SYSTEM);
    cr_expect_eq(scan.count, 77);
    close(fd);
}
