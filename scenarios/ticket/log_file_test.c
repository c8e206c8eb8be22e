#include "log_file.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log_read.h"

enum { TIMEOUT_MS = 1000, BYTES_MAX = 4096 };

static char folder[] = "/tmp/ticket-log-XXXXXX";
static char path[64];

static void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/log", folder);
}

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

TestSuite(log_file, .init = make_folder, .fini = remove_folder, .timeout = 60);

static void append(const char *text)
{
    struct log_file file;
    struct log log;
    struct fail fail = {0};
    log_file_init(&file, path);
    log_init(&log, &log_file_backend, &file);
    cr_assert(log_append(&log, text, strlen(text), &fail) && log_flush(&log, &fail) &&
                  log_wait(&log, TIMEOUT_MS, &fail),
              "%s", fail.text);
    log_close(&log);
}

/* Joins what it takes by blanks. `deed` is done once, at the first record. */
struct taken {
    char text[256];
    void (*deed)(void);
};

static bool take(void *context, const char *text, size_t size, struct fail *fail)
{
    struct taken *taken = context;
    const size_t used = strlen(taken->text);
    (void)fail;
    snprintf(taken->text + used, sizeof taken->text - used, "%.*s ", (int)size, text);
    if (taken->deed)
        taken->deed();
    taken->deed = NULL;
    return true;
}

static bool read_log(struct taken *taken, struct fail *fail)
{
    struct log_file file;
    struct log log;
    const struct log_reader reader = {take, taken, TIMEOUT_MS};
    log_file_init(&file, path);
    log_init(&log, &log_file_backend, &file);
    const bool is_read = log_read_all(&log, &reader, fail);
    log_close(&log);
    return is_read;
}

static size_t get_bytes(char bytes[BYTES_MAX])
{
    FILE *stream = fopen(path, "r");
    cr_assert_not_null(stream);
    const size_t size = fread(bytes, 1, BYTES_MAX, stream);
    fclose(stream);
    return size;
}

static void set_bytes(const char *bytes, size_t size)
{
    FILE *stream = fopen(path, "w");
    cr_assert_not_null(stream);
    cr_assert_eq(fwrite(bytes, 1, size, stream), size);
    fclose(stream);
}

Test(log_file, what_was_appended_is_read_in_its_order)
{
    struct taken taken = {0};
    struct fail fail = {0};
    append("{\"a\":1}");
    append("");
    append("{\"b\":2}");
    cr_assert(read_log(&taken, &fail), "%s", fail.text);
    cr_expect_str_eq(taken.text, "{\"a\":1} {\"b\":2} ");
}

Test(log_file, a_log_that_is_not_there_is_empty_and_stays_so)
{
    struct taken taken = {0};
    struct fail fail = {0};
    cr_assert(read_log(&taken, &fail), "%s", fail.text);
    cr_expect_str_eq(taken.text, "");
    cr_expect_neq(access(path, F_OK), 0);
}

Test(log_file, every_prefix_is_read_up_to_its_last_whole_record_and_can_be_appended_to)
{
    char bytes[BYTES_MAX];
    append("{\"a\":1}");
    append("{\"b\":2}");
    const size_t size = get_bytes(bytes);
    const size_t first = (size_t)((char *)memchr(bytes, '\n', size) - bytes) + 1;
    const size_t second =
        first + (size_t)((char *)memchr(bytes + first, '\n', size - first) - (bytes + first)) + 1;
    for (size_t cut = 0; cut < size; cut++) {
        struct taken before = {0};
        struct taken after = {0};
        struct fail fail = {0};
        set_bytes(bytes, cut);
        cr_assert(read_log(&before, &fail), "%zu: %s", cut, fail.text);
        cr_expect_str_eq(before.text, cut < second ? "" : "{\"a\":1} ");
        append("{\"c\":3}");
        cr_assert(read_log(&after, &fail), "%zu: %s", cut, fail.text);
        cr_expect_str_eq(after.text, cut < second ? "{\"c\":3} " : "{\"a\":1} {\"c\":3} ");
    }
}

Test(log_file, no_flipped_bit_makes_it_forget_a_record)
{
    char bytes[BYTES_MAX];
    append("{\"a\":1}");
    append("{\"b\":2}");
    const size_t size = get_bytes(bytes);
    for (size_t bit = 0; bit < size * 8; bit++) {
        struct taken taken = {0};
        struct fail fail = {0};
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        set_bytes(bytes, size);
        cr_expect(!read_log(&taken, &fail), "bit %zu: read as %s", bit, taken.text);
        cr_expect_eq(fail.code, EXIT_CODE_REFUSED, "bit %zu: %s", bit, fail.text);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
}

Test(log_file, an_end_of_zeros_was_never_complete)
{
    char bytes[BYTES_MAX] = {0};
    struct taken taken = {0};
    struct fail fail = {0};
    append("{\"a\":1}");
    append("{\"b\":2}");
    const size_t size = get_bytes(bytes);
    memset(bytes + size - 10, 0, 10);
    set_bytes(bytes, size);
    cr_assert(read_log(&taken, &fail), "%s", fail.text);
    cr_expect_str_eq(taken.text, "{\"a\":1} ");
}

static void append_more(void)
{
    append("{\"late\":1}");
}

Test(log_file, a_writer_that_appends_during_the_read_is_noticed)
{
    struct taken taken = {.deed = append_more};
    struct fail fail = {0};
    append("{\"a\":1}");
    cr_assert(!read_log(&taken, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_REFUSED);
    cr_expect_not_null(strstr(fail.text, "changed end"), "%s", fail.text);
}

static void replace_log(void)
{
    unlink(path);
    append("{\"a\":1}");
}

Test(log_file, another_log_in_its_place_is_noticed)
{
    struct taken taken = {.deed = replace_log};
    struct fail fail = {0};
    append("{\"a\":1}");
    cr_assert(!read_log(&taken, &fail));
    cr_expect_not_null(strstr(fail.text, "changed metadata"), "%s", fail.text);
}

static void open_for_writing(void)
{
    const int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    cr_assert_geq(fd, 0); /* stays open to the end of the test's process */
}

Test(log_file, a_writer_that_is_alive_and_appends_nothing_is_not_noticed)
{
    struct taken taken = {.deed = open_for_writing};
    struct fail fail = {0};
    append("{\"a\":1}");
    cr_expect(read_log(&taken, &fail), "%s", fail.text);
}

Test(log_file, two_writers_in_turn_get_positions_of_their_own)
{
    struct log_file files[2];
    struct log logs[2];
    struct taken taken = {0};
    struct fail fail = {0};
    for (int i = 0; i < 2; i++) {
        log_file_init(&files[i], path);
        log_init(&logs[i], &log_file_backend, &files[i]);
    }
    for (int i = 0; i < 4; i++) {
        cr_assert(log_append(&logs[i % 2], i % 2 ? "odd" : "even", i % 2 ? 3 : 4, &fail) &&
                      log_flush(&logs[i % 2], &fail) && log_wait(&logs[i % 2], TIMEOUT_MS, &fail),
                  "%s", fail.text);
    }
    for (int i = 0; i < 2; i++)
        log_close(&logs[i]);
    cr_assert(read_log(&taken, &fail), "%s", fail.text);
    cr_expect_str_eq(taken.text, "even odd even odd ");
}
