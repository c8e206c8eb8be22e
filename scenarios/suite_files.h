/* suite_files.h - the scenario files that a path names: itself, or those below a folder. */
#ifndef SCENARIOS_SUITE_FILES_H
#define SCENARIOS_SUITE_FILES_H

#include <stddef.h>

#include "tracer/base/err.h"

struct suite_files {
    char **paths; /* sorted */
    size_t count, capacity;
};

/* *.scenario.json of a folder and its sub-folders, hidden ones left out; none at all is an
 * ERR_USAGE. {0} is an empty list, to be fini'd whatever happens. */
MUST_USE bool suite_files_find(const char *path, struct suite_files *out, struct err *err);
void suite_files_fini(struct suite_files *files);

#endif
