#include "snapshot.h"

#include <fnmatch.h>
#include <string.h>

bool snapshot_excluded(const char *const *exclude, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    for (; exclude && *exclude; exclude++) {
        if (fnmatch(*exclude, path, FNM_PATHNAME) == 0 || fnmatch(*exclude, last, 0) == 0)
            return true;
    }
    return false;
}
