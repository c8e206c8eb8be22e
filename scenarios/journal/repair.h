/* repair.h - what to do about the end of a journal: the only place that takes bytes away.
 *
 * A torn end was never promised to anybody, so it is cut off. A complete frame that is damaged was,
 * so it is refused: to drop it silently would forget an operation, which would then be done twice.
 */
#ifndef JOURNAL_REPAIR_H
#define JOURNAL_REPAIR_H

#include <stdbool.h>

#include "fail.h"
#include "journal_file.h"

/* Needs a scan. Sets *is_cut when it cut off a torn end; file->scan keeps its state from before. */
bool repair_run(struct journal_file *file, bool *is_cut, struct fail *fail);

#endif
