/* suite_report.h - what came of a suite of cases: on the terminal, for CI servers, for programs. */
#ifndef CLI_SUITE_REPORT_H
#define CLI_SUITE_REPORT_H

#include <stdio.h>

#include "scenarios/case_result.h"
#include "scenarios/suite.h"

struct suite_report {
    const struct suite *suite;
    const struct case_result *results; /* one for each case */
    double seconds;
};

struct suite_counts {
    size_t held, violated, errors, not_run, assertions;
    size_t usage; /* of the errors: mistakes in a scenario or in what it names */
};
struct suite_counts suite_report_count(const struct suite_report *report);

/* "held", "violated", "error" or "partial". */
const char *suite_report_result(const struct suite_report *report);

/* The lines of one case that has ended; name_columns: of the longest name, for a table. */
void suite_report_case(FILE *to, const struct suite_report *report, size_t at, size_t name_columns);

/* The last line. */
void suite_report_end(FILE *to, const struct suite_report *report);

/* summary.json and junit.xml. Errors stay in the stream. */
void suite_report_json(FILE *to, const struct suite_report *report);
void suite_report_junit(FILE *to, const struct suite_report *report);

/* "brink run FILE --only NAME"; caller frees. */
char *suite_report_again(const struct suite_case *suite_case);

#endif
