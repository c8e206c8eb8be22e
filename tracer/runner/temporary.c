#include "temporary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

bool temporary_is_inside(const char *path, const char *folder)
{
    const size_t size = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

bool temporary_parent(const char *avoid, char **out, struct err *err)
{
    const char *const places[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm", getenv("HOME")};
    char *real_avoid OWN(own_mem) = avoid ? realpath(avoid, NULL) : NULL;
    const char *shunned = real_avoid ? real_avoid : avoid;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path OWN(own_mem) = places[i] && *places[i] ? realpath(places[i], NULL) : NULL;
        if (!path || access(path, W_OK | X_OK) < 0)
            continue;
        if (shunned && temporary_is_inside(path, shunned))
            continue;
        *out = path;
        path = NULL;
        return true;
    }
    return err_usage(err,
                     "no place for temporary folders outside of %s; set TMPDIR to a "
                     "writable folder",
                     avoid ? avoid : "nothing");
}

char *temporary_parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash || slash == path ? mem_string("/") : mem_range(path, (size_t)(slash - path));
}
