#include "judge.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define DIGEST "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
#define ALL_CLAUSES                                                                                \
    "\"authentication\":\"none\",\"in_flight\":\"serialized\",\"lookup\":\"authoritative\","       \
    "\"payload_binding\":\"sha256-of-exact-bytes\",\"retention\":\"unlimited\","                   \
    "\"scope\":\"all-actions\""
#define RECEIPT(id, contract, outcome, rest)                                                       \
    "{\"action_id\":\"" id "\",\"contract\":\"" contract "\",\"outcome\":\"" outcome "\"," rest "}"
#define POSITIVE RECEIPT("a", "ticket-lab/1", "created", "\"payload_digest\":\"" DIGEST "\"")
#define NEGATIVE RECEIPT("a", "ticket-lab/1", "absent", "\"clauses\":{" ALL_CLAUSES "}")

static const struct intent intent = {"a", "test", 4, DIGEST};

struct row {
    long status;
    const char *body;
    enum judge_verdict verdict;
    const char *reason;
};

static struct client_answer answer_of(const struct row *row)
{
    static char body[1024];
    snprintf(body, sizeof body, "%s", row->body);
    return (struct client_answer){
        .is_whole = true, .status = row->status, .body = body, .size = strlen(body)};
}

Test(judge, a_look_up_proves_only_what_its_receipt_says)
{
    static const struct row rows[] = {
        {200, POSITIVE, JUDGE_FOUND, ""},
        {404, NEGATIVE, JUDGE_ABSENT, ""},
        {200, NEGATIVE, JUDGE_UNKNOWN, "outcome"},
        {404, POSITIVE, JUDGE_UNKNOWN, "outcome"},
        {503, POSITIVE, JUDGE_UNKNOWN, "status 503"},
        {401, NEGATIVE, JUDGE_UNKNOWN, "status 401"},
        {404, "not found", JUDGE_UNKNOWN, "without a receipt"},
        {404, "", JUDGE_UNKNOWN, "without a receipt"},
        {200, "{}", JUDGE_UNKNOWN, "without a receipt"},
        {200, RECEIPT("b", "ticket-lab/1", "created", "\"payload_digest\":\"" DIGEST "\""),
         JUDGE_UNKNOWN, "action_id"},
        {200, RECEIPT("a", "ticket-lab/1", "created", "\"payload_digest\":\"00\""), JUDGE_UNKNOWN,
         "payload_digest"},
        {200, RECEIPT("a", "ticket-lab/2", "created", "\"payload_digest\":\"" DIGEST "\""),
         JUDGE_UNKNOWN, "contract"},
        {404, RECEIPT("b", "ticket-lab/1", "absent", "\"clauses\":{" ALL_CLAUSES "}"),
         JUDGE_UNKNOWN, "action_id"},
        {404, RECEIPT("a", "ticket-lab/1", "absent", "\"clauses\":{}"), JUDGE_UNKNOWN, "clause"},
        {404, RECEIPT("a", "ticket-lab/1", "absent", "\"x\":1"), JUDGE_UNKNOWN, "clause"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char reason[JUDGE_REASON_SIZE] = "";
        const struct client_answer answer = answer_of(&rows[i]);
        cr_expect_eq(judge_look_up(&answer, &intent, reason), rows[i].verdict, "row %zu", i);
        cr_expect_not_null(strstr(reason, rows[i].reason), "row %zu: %s", i, reason);
    }
}

Test(judge, every_single_clause_that_is_missing_makes_absence_no_permission)
{
    static const char *const names[] = {"authentication",  "in_flight", "lookup",
                                        "payload_binding", "retention", "scope"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char body[1024];
        char reason[JUDGE_REASON_SIZE] = "";
        snprintf(body, sizeof body, "%s", NEGATIVE);
        *strstr(body, names[i]) = 'X';
        const struct row row = {404, body, JUDGE_UNKNOWN, names[i]};
        const struct client_answer answer = answer_of(&row);
        cr_expect_eq(judge_look_up(&answer, &intent, reason), JUDGE_UNKNOWN, "%s", names[i]);
        cr_expect_not_null(strstr(reason, names[i]), "%s", reason);
    }
}

Test(judge, an_action_is_proven_by_200_or_201_with_its_receipt_and_by_nothing_else)
{
    static const struct row rows[] = {
        {201, POSITIVE, JUDGE_FOUND, ""},
        {200, POSITIVE, JUDGE_FOUND, ""},
        {409, POSITIVE, JUDGE_UNKNOWN, "status 409"},
        {404, NEGATIVE, JUDGE_UNKNOWN, "status 404"},
        {201, "", JUDGE_UNKNOWN, "without a receipt"},
        {200, NEGATIVE, JUDGE_UNKNOWN, "outcome"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char reason[JUDGE_REASON_SIZE] = "";
        const struct client_answer answer = answer_of(&rows[i]);
        cr_expect_eq(judge_action(&answer, &intent, reason), rows[i].verdict, "row %zu", i);
        cr_expect_not_null(strstr(reason, rows[i].reason), "row %zu: %s", i, reason);
    }
}

Test(judge, half_an_answer_proves_nothing)
{
    char reason[JUDGE_REASON_SIZE] = "";
    const struct row row = {201, POSITIVE, JUDGE_UNKNOWN, ""};
    struct client_answer answer = answer_of(&row);
    answer.is_whole = false;
    cr_expect_eq(judge_action(&answer, &intent, reason), JUDGE_UNKNOWN);
    answer.status = 200;
    cr_expect_eq(judge_look_up(&answer, &intent, reason), JUDGE_UNKNOWN);
}
