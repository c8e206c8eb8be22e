#include "log_read.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

#include "double_test.h"

enum { TIMEOUT_MS = 50 };

/* Takes "record n": bit n is set. */
static bool take(void *context, const char *text, size_t size, struct fail *fail)
{
    (void)fail;
    if (size != 8 || memcmp(text, "record ", 7) != 0)
        return fail_with(fail, EXIT_CODE_SYSTEM, "odd record");
    *(unsigned *)context |= 1U << (text[7] - '0');
    return true;
}

static struct log_double honest(void)
{
    return (struct log_double){
        .end = DOUBLE_RECORDS, .end_later = DOUBLE_RECORDS, .stops_at = DOUBLE_NEVER};
}

static bool read_double(struct log_double *twin, unsigned *taken, struct fail *fail)
{
    struct log log;
    const struct log_reader reader = {take, taken, TIMEOUT_MS};
    log_init(&log, &double_backend, twin);
    const bool is_read = log_read_all(&log, &reader, fail);
    log_close(&log);
    return is_read;
}

Test(log_read, empty_polls_before_every_position_neither_end_the_read_nor_hide_a_record)
{
    for (unsigned empty = 0; empty < 1U << DOUBLE_RECORDS; empty++) {
        struct log_double twin = honest();
        struct fail fail = {0};
        unsigned taken = 0;
        twin.empty_at = empty;
        cr_assert(read_double(&twin, &taken, &fail), "%x: %s", empty, fail.text);
        cr_assert_eq(taken, 0x3f, "%x: %x", empty, taken);
    }
}

Test(log_read, positions_without_a_record_are_passed_over)
{
    for (unsigned gaps = 0; gaps < 1U << DOUBLE_RECORDS; gaps++) {
        struct log_double twin = honest();
        struct fail fail = {0};
        unsigned taken = 0;
        twin.gap_at = gaps;
        cr_assert(read_double(&twin, &taken, &fail), "%x: %s", gaps, fail.text);
        cr_assert_eq(taken, 0x3fU & ~gaps, "%x: %x", gaps, taken);
    }
}

Test(log_read, a_log_that_stops_before_its_end_is_refused_after_the_time_limit, .timeout = 20)
{
    for (uint64_t stop = 0; stop < DOUBLE_RECORDS; stop++) {
        struct log_double twin = honest();
        struct fail fail = {0};
        unsigned taken = 0;
        twin.stops_at = stop;
        cr_expect(!read_double(&twin, &taken, &fail));
        cr_expect_eq(fail.code, EXIT_CODE_REFUSED);
        cr_expect_not_null(strstr(fail.text, "stopped before the end"), "%s", fail.text);
    }
}

struct change {
    const char *word;
    struct log_double log;
};

Test(log_read, a_log_that_is_not_whole_or_not_the_same_is_refused_by_what_changed)
{
    const struct change changes[] = {
        {"missing prefix", {.first = 1, .end = 6, .end_later = 6, .stops_at = DOUBLE_NEVER}},
        {"changed metadata",
         {.end = 6, .end_later = 6, .stops_at = DOUBLE_NEVER, .metadata_changes = 1}},
        {"changed end", {.end = 5, .end_later = 6, .stops_at = DOUBLE_NEVER}},
        {"changed end", {.end = 6, .end_later = 5, .stops_at = DOUBLE_NEVER}},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct log_double twin = changes[i].log;
        struct fail fail = {0};
        unsigned taken = 0;
        cr_expect(!read_double(&twin, &taken, &fail), "%s", changes[i].word);
        cr_expect_eq(fail.code, EXIT_CODE_REFUSED);
        cr_expect_not_null(strstr(fail.text, changes[i].word), "%s", fail.text);
    }
}

static void *use_elsewhere(void *context)
{
    static struct fail fail;
    return log_own(context, &fail) ? NULL : &fail;
}

Test(log_read, a_handle_is_refused_to_another_thread, .timeout = 20)
{
    struct log_double twin = honest();
    struct log log;
    struct fail fail = {0};
    pthread_t thread;
    void *refusal = NULL;
    log_init(&log, &double_backend, &twin);
    cr_assert(log_own(&log, &fail));
    cr_assert_eq(pthread_create(&thread, NULL, use_elsewhere, &log), 0);
    pthread_join(thread, &refusal);
    cr_assert_not_null(refusal);
    cr_expect_not_null(strstr(((struct fail *)refusal)->text, "another thread"));
    log_close(&log);
}
