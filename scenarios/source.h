/* source.h - a scenario file as it was written: its JSON with all that it includes, and the texts,
 * so that every error can point at a line.
 *
 * `"include": "common.json"` (or a list) takes members from other files: objects are joined member
 * by member, everything else is replaced by what the including file says. */
#ifndef SCENARIOS_SOURCE_H
#define SCENARIOS_SOURCE_H

#include <jansson.h>

#include "tracer/base/err.h"
#include "where.h"

struct source_file {
    char *path; /* as the user named it */
    char *text;
};

struct source {
    json_t *root;              /* joined, without "include" */
    char *folder;              /* absolute path of the folder of the first file */
    struct source_file *files; /* the scenario itself, then what it includes, nearest first */
    size_t count, capacity;
};

/* ERR_USAGE when it cannot be read or is no JSON object. *out is to be fini'd only on true. */
MUST_USE bool source_open(const char *path, struct source *out, struct err *err);
void source_fini(struct source *source);

/* "FILE:LINE:COLUMN: key.path: what"; an ERR_USAGE. Returns false. */
bool source_fault(const struct source *source, const struct where *where, struct err *err,
                  const char *fmt, ...) PRINTF(4, 5);

#endif
