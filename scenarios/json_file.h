/* json_file.h - JSON in and out of descriptors, in few system calls: jansson makes one for each
 * byte that it reads and each word that it writes. */
#ifndef SCENARIOS_JSON_FILE_H
#define SCENARIOS_JSON_FILE_H

#include <jansson.h>

#include "tracer/base/err.h"

/* All of a regular file, from its beginning; NULL when there is no JSON in it. */
json_t *json_file_read(int fd);

/* flags are those of json_dumps. false: errno says why. */
MUST_USE bool json_file_write(int fd, const json_t *json, size_t flags);

#endif
