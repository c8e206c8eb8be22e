/* out.h - the output folder: brink's own or nobody's, never a surprise.
 *
 * A folder that does not exist is made. One that carries brink's marker (a run.db of ours) is used
 * again, and what brink left there before is replaced. Any other is refused unless forced, and even
 * then only brink's own names in it are touched. While it is open no other brink can use it. */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdbool.h>

#include "tracer/base/err.h"

struct out {
    int fd;     /* the folder; -1: closed */
    char *path; /* absolute, links resolved */
    bool is_new;
};

enum { OUT_CLOSED = -1 };

struct out_options {
    bool is_forced;
    bool want_run; /* there must be a run in it already (resume) */
};

/* *out must be {.fd = OUT_CLOSED}. Nothing is removed yet. */
MUST_USE bool out_open(const char *path, const struct out_options *options, struct out *out,
                       struct err *err);

/* Removes what an earlier run has left. */
MUST_USE bool out_clear(const struct out *out, struct err *err);

/* Removes the folder too, when out_open has made it and it is still empty. */
void out_close(struct out *out);

/* Whether the folder lies in a directory (absolute, links resolved). If so *relative, which the
 * caller frees, is a pattern for fnmatch that matches its path from there and nothing else. The
 * directory itself being the output folder is an ERR_USAGE. */
MUST_USE bool out_inside(const struct out *out, const char *directory, char **relative,
                         struct err *err);

#endif
