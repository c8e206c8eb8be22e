#include "standin.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/mem.h"

bool standin_make(struct standin *standin, const char *path, struct janitor *janitor,
                  struct err *err)
{
    struct stat about = {0};
    *standin = (struct standin){.janitor = janitor};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return true;
    if (mkdir(path, 0700) != 0) {
        err_system(err, "make the recorded workspace's path %s", path);
        err->kind = ERR_USAGE;
        return false;
    }
    standin->path = mem_string(path);
    if (janitor_watch(janitor, path, err))
        return true;
    standin_fini(standin);
    return false;
}

void standin_fini(struct standin *standin)
{
    if (standin->path == NULL)
        return;
    rmdir(standin->path);
    janitor_forget(standin->janitor, standin->path);
    free(standin->path);
    *standin = (struct standin){0};
}
