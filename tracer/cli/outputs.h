/* outputs.h - what an output folder shows to people and programs: reports and violated states. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include <stdio.h>

#include "tracer/trace/verdict.h"

/* Writes states/ and every report that has a file into the folder open as dir_fd. Adds a note to
 * the run when not all violated states found room. */
MUST_USE bool outputs_write(struct run *run, int dir_fd, struct err *err);

/* The report for people. */
MUST_USE bool outputs_show(const struct run *run, FILE *to, struct err *err);

/* Adds a line to the run's notes; text is taken over. */
void outputs_note(struct run *run, char *text);

/* Takes out what an earlier conclusion of the same run has put in: findings and notes. */
void outputs_forget(struct run *run);

#endif
