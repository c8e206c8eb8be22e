/* case_result.h - what came of a case. */
#ifndef SCENARIOS_CASE_RESULT_H
#define SCENARIOS_CASE_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum case_verdict {
    CASE_NOT_RUN,
    CASE_HELD,
    CASE_VIOLATED,
    CASE_ERROR, /* nothing can be said about the worker */
};

struct case_result {
    const char *name; /* borrowed from the suite */
    enum case_verdict verdict;
    bool is_usage; /* the error is the user's */
    char *why;     /* one line; NULL when it simply held */
    size_t assertions, failed;
    double seconds;
    json_t *report; /* "assertions": [...], "children": [...], and more; may be NULL */
};

/* "held", "violated", "error", "not run". */
const char *case_verdict_name(enum case_verdict verdict);

/* Decides about a report that case_run has written; takes it over. With an expected violation a
 * case holds when that assertion fails and no other does. */
void case_result_judge(struct case_result *result, json_t *report);

/* Nothing came from the process of the case. */
void case_result_fail(struct case_result *result, const char *why);

void case_result_fini(struct case_result *result);

#endif
