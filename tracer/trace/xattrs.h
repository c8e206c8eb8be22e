/* xattrs.h - extended attributes of real files and folders, as far as brink follows them.
 *
 * Followed are user.*, trusted.* and security.capability. Left alone is what the system makes by
 * itself: labels of security modules, and access control lists, which chmod and inheritance change
 * behind the back of every recorded call. */
#ifndef TRACE_XATTRS_H
#define TRACE_XATTRS_H

#include <stddef.h>

#include "tracer/base/err.h"

struct xattr_value {
    char *name;
    void *value;
    size_t size;
};

struct xattrs {
    struct xattr_value *items; /* in order of their names */
    size_t count, capacity;
};

bool xattrs_is_followed(const char *name);

/* Of the file or folder open as fd. A file system that has none gives none. */
MUST_USE bool xattrs_read(int fd, struct xattrs *out, struct err *err);
void xattrs_fini(struct xattrs *xattrs);

#endif
