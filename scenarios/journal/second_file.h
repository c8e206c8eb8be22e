/* second_file.h - a counter in a file of its own, beside the journal.
 *
 * The journal itself has no such thing, its counter is its records: this is for the mutants that
 * keep result and identity apart. Each write of it is whole and durable, so that what goes wrong
 * with them comes from the order of the two files alone. */
#ifndef JOURNAL_SECOND_FILE_H
#define JOURNAL_SECOND_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"

/* The counter of the journal at this path stands in "<path>.counter"; 0 when that is absent. */
bool second_file_read(const char *journal, int32_t *counter, struct fail *fail);
bool second_file_write(const char *journal, int32_t counter, struct fail *fail);

#endif
