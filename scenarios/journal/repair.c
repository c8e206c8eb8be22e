#include "repair.h"

bool repair_run(struct journal_file *file, bool *is_cut, struct fail *fail)
{
    *is_cut = file->scan.state == FRAME_TORN;
    if (*is_cut)
        return journal_file_cut(file, fail);
    return file->scan.state == FRAME_VALID || journal_file_refuse(file, fail);
}
