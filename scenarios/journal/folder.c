#include "folder.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <unistd.h>

static bool sync_folder(const char *folder, struct fail *fail)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return fail_system(fail, "open the folder %s", folder);
    if (fsync(fd) == 0) {
        close(fd);
        return true;
    }
    fail_system(fail, "sync the folder %s", folder);
    close(fd);
    return false;
}

bool folder_sync_around(const char *path, struct fail *fail)
{
    char *real = realpath(path, NULL);
    if (!real)
        return fail_system(fail, "find the folder of %s", path);
    const bool is_synced = sync_folder(dirname(real), fail);
    free(real);
    return is_synced;
}
