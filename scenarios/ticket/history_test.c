#include "history.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

#define EVENT(id, type, detail)                                                                    \
    "{\"job_id\":\"j\",\"event_id\":\"" id "\",\"attempt\":1,\"step\":1,\"event_type\":\"" type    \
    "\",\"action_id\":\"a\",\"payload_digest\":\"d\",\"emitted_at_ms\":5,\"detail\":" detail "}"

static bool take(struct history *history, const char *text, struct fail *fail)
{
    return history_take(history, text, strlen(text), fail);
}

Test(history, the_same_event_twice_is_one_event)
{
    struct history history = {0};
    struct fail fail = {0};
    cr_assert(take(&history, EVENT("j/1/1", "STARTED", "null"), &fail), "%s", fail.text);
    cr_assert(take(&history, EVENT("j/1/1", "STARTED", "null"), &fail), "%s", fail.text);
    cr_expect_eq(history.raw, 2);
    cr_expect_eq(history.count, 1);
    history_fini(&history);
}

Test(history, an_event_id_with_another_detail_is_a_conflict)
{
    struct history history = {0};
    struct fail fail = {0};
    cr_assert(take(&history, EVENT("j/1/1", "STARTED", "null"), &fail));
    cr_expect(!take(&history, EVENT("j/1/1", "STARTED", "\"x\""), &fail));
    cr_expect_eq(fail.code, EXIT_CODE_REFUSED);
    cr_expect_not_null(strstr(fail.text, "another detail"), "%s", fail.text);
    history_fini(&history);
}

Test(history, what_is_not_the_nine_fields_is_refused)
{
    static const char *const texts[] = {
        "",
        "{}",
        "[]",
        EVENT("i", "STARTED", "7"),
        EVENT("i", "ENDED", "null"),
        EVENT("i", "STARTED", "null,\"more\":1"),
        EVENT("i", "STARTED", "null,\"step\":2"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct history history = {0};
        struct fail fail = {0};
        cr_expect(!take(&history, texts[i], &fail), "%s", texts[i]);
        cr_expect_eq(fail.code, EXIT_CODE_REFUSED);
        history_fini(&history);
    }
}

Test(history, an_event_that_is_read_and_written_again_is_the_same_bytes)
{
    static const char text[] =
        EVENT("j/1/4", "ACTION_REQUESTED", "\"{\\\"a\\\":\\\"\xC3\xBC\\\"}\"");
    struct event event = {0};
    struct fail fail = {0};
    cr_assert(event_read(&event, text, sizeof text - 1, &fail), "%s", fail.text);
    char *again = event_write(&event);
    cr_expect_str_eq(again, text);
    free(again);
    event_fini(&event);
}

Test(history, a_second_intent_with_other_bytes_is_refused)
{
    struct history history = {0};
    struct history_job job;
    struct fail fail = {0};
    cr_assert(take(&history, EVENT("j/1/4", "ACTION_REQUESTED", "\"x\""), &fail));
    cr_assert(history_reduce(&history, "j", &job, &fail));
    cr_expect_str_eq(job.intent->detail, "x");
    static const char other[] = "{\"job_id\":\"j\",\"event_id\":\"j/2/4\",\"attempt\":2,\"step\":4,"
                                "\"event_type\":\"ACTION_REQUESTED\",\"action_id\":\"a\","
                                "\"payload_digest\":\"e\",\"emitted_at_ms\":1,\"detail\":\"y\"}";
    cr_assert(take(&history, other, &fail), "%s", fail.text);
    cr_expect(!history_reduce(&history, "j", &job, &fail));
    cr_expect_eq(fail.code, EXIT_CODE_REFUSED);
    history_fini(&history);
}

Test(history, many_events_are_all_kept)
{
    struct history history = {0};
    struct fail fail = {0};
    for (int i = 1; i <= 300; i++) {
        char id[16];
        snprintf(id, sizeof id, "j/1/%d", i);
        const struct event event = {.job_id = "j", .event_id = id, .attempt = 1, .step = i};
        char *text = event_write(&event);
        cr_assert(take(&history, text, &fail), "%s", fail.text);
        free(text);
    }
    cr_expect_eq(history.count, 300);
    history_fini(&history);
}

Test(job, the_request_is_compact_with_sorted_members)
{
    struct job job;
    struct fail fail = {0};
    const struct job_names names = {"run", "case", "ticket-1042", "Drucker \xC3\xBC \"x\""};
    cr_assert(job_init(&job, &names, &fail));
    char *request = job_request(&job, "needs-followup");
    cr_expect_str_eq(request, "{\"classification\":\"needs-followup\",\"job_id\":\"run/case/ticket-"
                              "1042\",\"ticket_id\":\"ticket-1042\",\"title\":\"Drucker \xC3\xBC "
                              "\\\"x\\\"\"}");
    cr_expect_str_eq(job.action_id, "run/case/ticket-1042/follow-up");
    free(request);
}

Test(job, a_name_that_would_be_another_path_is_refused)
{
    static const char *const bad[] = {"", "a/b", "..", ".", "a b", "\xC3\xBC"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct job job;
        struct fail fail = {0};
        const struct job_names names = {"run", bad[i], "t", ""};
        cr_expect(!job_init(&job, &names, &fail), "%s", bad[i]);
        cr_expect_eq(fail.code, EXIT_CODE_USAGE);
    }
}
