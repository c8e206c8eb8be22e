/* Mutant: promises records of a file whose name may not survive a power loss. No process kill shows
 * it. */
#include "folder.h"

bool folder_sync_around(const char *path, struct fail *fail)
{
    (void)path;
    (void)fail;
    return true;
}
