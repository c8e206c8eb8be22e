/* evidence_files.h - the files of a folder and their hashes, as a sorted JSON list:
 * [{"path": "cases/0001-a/case.json", "sha256": "..."}]. */
#ifndef SCENARIOS_EVIDENCE_FILES_H
#define SCENARIOS_EVIDENCE_FILES_H

#include <jansson.h>

#include "tracer/base/err.h"

/* Appends every file below the folder open as dir_fd; symbolic links by the hash of their target,
 * what is neither left out. want_lines: line ends normalised, and hidden files and folders, which
 * are no sources, left out. prefix stands before each path. */
struct evidence_files {
    const char *prefix;
    bool want_lines;
};
MUST_USE bool evidence_files_add(int dir_fd, const struct evidence_files *options, json_t *list,
                                 struct err *err);

#endif
