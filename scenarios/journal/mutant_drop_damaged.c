/* Mutant: takes a damaged record, and all behind it, for a torn end. */
#include "repair.h"

bool repair_run(struct journal_file *file, bool *is_cut, struct fail *fail)
{
    *is_cut = file->scan.state != FRAME_VALID;
    return !*is_cut || journal_file_cut(file, fail);
}
