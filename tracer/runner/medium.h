/* medium.h - what the file system of a slot can do, tried on it. */
#ifndef RUNNER_MEDIUM_H
#define RUNNER_MEDIUM_H

#include "tracer/base/err.h"

struct medium {
    bool has_fine_times; /* each of several writes in a row changes mtime (Linux 6.13) */
    bool can_chown;      /* files can be given to somebody else */
    bool has_xattrs;     /* user.* attributes can be set */
};

/* Tries them with a file in the empty directory, which is removed again. */
MUST_USE bool medium_try(int dir_fd, struct medium *out, struct err *err);

#endif
