#include "case_result.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"

const char *case_verdict_name(enum case_verdict verdict)
{
    switch (verdict) {
    case CASE_NOT_RUN:
        return "not run";
    case CASE_HELD:
        return "held";
    case CASE_VIOLATED:
        return "violated";
    case CASE_ERROR:
        return "error";
    }
    UNREACHABLE("all verdicts are above");
}

void case_result_fini(struct case_result *result)
{
    free(result->why);
    json_decref(result->report);
    *result = (struct case_result){0};
}

void case_result_fail(struct case_result *result, const char *why)
{
    free(result->why);
    result->verdict = CASE_ERROR;
    result->why = mem_string(why);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A check that expects several values gives several assertions: "NAME: size", "NAME: bytes". */
static bool is_called(const json_t *assertion, const char *name)
{
    const char *own = text_of(assertion, "name");
    const size_t size = strlen(name);
    return strncmp(own, name, size) == 0 &&
           (own[size] == '\0' || strncmp(own + size, ": ", 2) == 0);
}

/* Counts, and finds the first that failed although another or none should have. */
static const json_t *count_failed(struct case_result *result, const json_t *list,
                                  const char *expected)
{
    const json_t *unexpected = NULL;
    result->assertions = json_array_size(list);
    for (size_t i = 0; i < result->assertions; i++) {
        const json_t *assertion = json_array_get(list, i);
        if (json_is_true(json_object_get(assertion, "held")))
            continue;
        result->failed++;
        if (!unexpected && !(expected && is_called(assertion, expected)))
            unexpected = assertion;
    }
    return unexpected;
}

static char *describe(const json_t *assertion)
{
    return mem_format("%s%s: expected %s, observed %s", text_of(assertion, "name"),
                      text_of(assertion, "label"), text_of(assertion, "expected"),
                      text_of(assertion, "observed"));
}

void case_result_judge(struct case_result *result, json_t *report)
{
    const char *error = json_string_value(json_object_get(report, "error"));
    const char *expected = json_string_value(json_object_get(report, "expected"));
    const json_t *list = json_object_get(report, "assertions");
    result->report = report;
    result->seconds = json_real_value(json_object_get(report, "seconds"));
    const json_t *unexpected = count_failed(result, list, expected);
    result->verdict = CASE_VIOLATED;
    if (error) {
        result->verdict = CASE_ERROR;
        result->is_usage = json_is_true(json_object_get(report, "usage"));
        result->why = mem_string(error);
    } else if (result->assertions == 0) {
        case_result_fail(result, "nothing was observed");
    } else if (unexpected) {
        result->why = describe(unexpected);
    } else if (expected && result->failed == 0) {
        result->why = mem_format("\"%s\" was expected to fail, but held", expected);
    } else {
        result->verdict = CASE_HELD;
        result->why = expected ? mem_format("violated as expected: %s", expected) : NULL;
    }
}
