/* listing.h - the names in a real directory, sorted by their bytes. */
#ifndef TRACE_LISTING_H
#define TRACE_LISTING_H

#include <stddef.h>

#include "tracer/base/err.h"

struct listing {
    char *bytes;        /* the names, each with its NUL */
    const char **names; /* into bytes */
    size_t count;
};

/* Reads the directory open (for reading) as fd from its beginning, without "." and "..". */
MUST_USE bool listing_read(int fd, struct listing *out, struct err *err);
void listing_fini(struct listing *listing);

#endif
