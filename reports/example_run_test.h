/* example_run_test.h - a finished run with every odd thing in it, for tests of the reports. */
#ifndef REPORTS_EXAMPLE_RUN_TEST_H
#define REPORTS_EXAMPLE_RUN_TEST_H

#include "report.h"

/* Two initial ops, four of the worker, six of ten torn states tried, one violated, one finding
 * whose texts hold control bytes, quotes, markup and invalid UTF-8. */
struct run *example_run(void);
void example_run_free(struct run *run);

/* What a report writes. Caller frees. */
char *example_report(const struct report *report, const struct run *run);

#endif
