#include "case_result.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct case_result judged(const char *text)
{
    struct case_result result = {0};
    json_t *report = json_loads(text, 0, NULL);
    cr_assert_not_null(report);
    case_result_judge(&result, report);
    return result;
}

#define HELD(name)                                                                                 \
    "{\"name\": \"" name "\", \"held\": true, \"expected\": \"1\", \"observed\": \"1\"}"
#define FAILED(name)                                                                               \
    "{\"name\": \"" name "\", \"held\": false, \"expected\": \"1\", \"observed\": \"2\"}"

struct row {
    const char *label, *report;
    enum case_verdict verdict;
    const char *why; /* part of it; NULL: none */
};

static const struct row rows[] = {
    {"all held", "{\"assertions\": [" HELD("a") "]}", CASE_HELD, NULL},
    {"one failed", "{\"assertions\": [" HELD("a") "," FAILED("b: size") "]}", CASE_VIOLATED,
     "b: size: expected 1, observed 2"},
    {"nothing observed", "{\"assertions\": []}", CASE_ERROR, "nothing was observed"},
    {"an error outweighs what held", "{\"assertions\": [" HELD("a") "], \"error\": \"no\"}",
     CASE_ERROR, "no"},
    {"failed as expected", "{\"expected\": \"b\", \"assertions\": [" HELD("a") "," FAILED("b") "]}",
     CASE_HELD, "violated as expected: b"},
    {"any value of a check counts as the check",
     "{\"expected\": \"b\", \"assertions\": [" FAILED("b: size") "]}", CASE_HELD, "expected"},
    {"expected, but held", "{\"expected\": \"b\", \"assertions\": [" HELD("b") "]}", CASE_VIOLATED,
     "was expected to fail, but held"},
    {"expected, but another failed too",
     "{\"expected\": \"b\", \"assertions\": [" FAILED("b") "," FAILED("bc") "]}", CASE_VIOLATED,
     "bc: expected"},
    {"expected, but only another failed",
     "{\"expected\": \"b\", \"assertions\": [" HELD("b") "," FAILED("c") "]}", CASE_VIOLATED,
     "c: expected"},
    {"an error is no expected violation",
     "{\"expected\": \"b\", \"error\": \"no\", \"assertions\": [" FAILED("b") "]}", CASE_ERROR,
     "no"},
};

Test(case_result, a_report_is_judged_by_its_assertions_and_by_what_was_expected)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct case_result result = judged(rows[i].report);
        cr_expect_eq(result.verdict, rows[i].verdict, "%s", rows[i].label);
        cr_expect_eq(result.why != NULL, rows[i].why != NULL, "%s", rows[i].label);
        if (rows[i].why && result.why)
            cr_expect_not_null(strstr(result.why, rows[i].why), "%s: %s", rows[i].label,
                               result.why);
        case_result_fini(&result);
    }
}
