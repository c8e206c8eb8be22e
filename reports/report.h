/* report.h - one way to show a finished run. To add a format: write a struct report, list it.
 *
 * A report only formats. What a run means has been decided before. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include <stdio.h>

#include "tracer/trace/verdict.h"

struct report {
    const char *name; /* as in --format NAME */
    const char *file; /* in the output folder; NULL: for the terminal only */
    bool (*write)(FILE *to, const struct run *run, struct err *err);
};

extern const struct report report_json;     /* summary.json */
extern const struct report report_junit;    /* junit.xml */
extern const struct report report_terminal; /* what the user sees at the end */

/* NULL when no report has that name. */
const struct report *report_find(const char *name);

/* Whether colours are wanted on this stream: a terminal, and NO_COLOR not set. */
bool report_wants_colour(FILE *to);

#endif
