#include "place.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/mem.h"

bool place_make(struct place *place, const char *path, struct janitor *janitor, struct err *err)
{
    struct stat about = {0};
    *place = (struct place){.janitor = janitor};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return true;
    if (mkdir(path, 0700) != 0) {
        err_system(err, "make the recorded workspace's path %s", path);
        err->kind = ERR_USAGE;
        return false;
    }
    place->path = mem_string(path);
    if (janitor_watch(janitor, path, err))
        return true;
    place_fini(place);
    return false;
}

void place_fini(struct place *place)
{
    if (place->path == NULL)
        return;
    rmdir(place->path);
    janitor_forget(place->janitor, place->path);
    free(place->path);
    *place = (struct place){0};
}
