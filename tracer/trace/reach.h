/* reach.h - opens files and folders whose permission bits keep their own owner out.
 *
 * A worker may leave a file of mode 0 behind, and who is not root cannot read it, although it is
 * his own. The bits are widened as long as it is open, and put back when it is closed. */
#ifndef TRACE_REACH_H
#define TRACE_REACH_H

#include <stdint.h>

#include "tracer/base/err.h"

struct reach {
    int fd;
    uint32_t mode; /* what to put back */
    bool is_widened;
};

/* Opens dir_fd/name for reading, never through a symbolic link. */
MUST_USE bool reach_file(int dir_fd, const char *name, struct reach *out, struct err *err);

/* The same for a folder. name NULL: dir_fd itself (as a duplicate). */
MUST_USE bool reach_folder(int dir_fd, const char *name, struct reach *out, struct err *err);

/* For OWN. Does not change errno. */
void reach_close(struct reach *reach);

#endif
