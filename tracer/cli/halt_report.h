/* halt_report.h - what was halted, where it stood, and what was done to it, as lines for people. */
#ifndef CLI_HALT_REPORT_H
#define CLI_HALT_REPORT_H

#include <stdio.h>

#include "tracer/ptrace/record.h"

void halt_report_print(const struct barrier *barrier, const struct record_halted *halted,
                       const struct trace *trace, FILE *to);

/* "exited with 3", "was killed by signal 9 (SIGKILL)". Caller frees. */
char *halt_report_end(int status);

#endif
