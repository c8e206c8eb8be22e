/* barrier.h - a named halting place of a worker, chosen by what a call means.
 *
 * On the command line and in scenarios it stands as words:
 *
 *     write path=*.log contains=ACTION_CONFIRMED nth=2 where=inside bytes=17 sync do=exit:23
 *
 * The first word names a call ("pwrite64") or a family of calls ("write": all that put bytes into
 * files and streams). Values may be quoted with ' or ", and contain no such quote then. */
#ifndef TRACE_BARRIER_H
#define TRACE_BARRIER_H

#include "trace.h"

enum barrier_where {
    BARRIER_BEFORE, /* the call is not done */
    BARRIER_INSIDE, /* `bytes` of it are done */
    BARRIER_AFTER,
};

/* What bytes to look for: these, or those that an extended regular expression fits. */
struct barrier_text {
    char *text; /* NULL: nothing is asked */
    bool is_regex;
};

/* Strings are NULL where nothing is asked. */
struct barrier {
    char *name;
    char *call; /* as the user gave it; one that barrier_parse knows */
    char *path; /* glob on the path in the workspace, "stdout", "stderr", or a path outside; `*`
                   stands for slashes too */
    char *peer; /* glob on the other end of a connection: "127.0.0.1:8080", "unix /run/x" */
    /* In the stream of the file or connection. The call that completes it is the one; a call that
     * completes several counts as often. */
    struct barrier_text contains;
    /* A sync that makes durable what contains this; counted for each such record. */
    struct barrier_text covers;
    uint64_t nth; /* from 1 */
    enum barrier_where where;
    uint64_t bytes;  /* BARRIER_INSIDE: how many of the call's bytes are done */
    int exit_status; /* meaningful when does_exit */
    bool want_sync;  /* what is written so far is made durable first, on the call's descriptor */
    bool does_exit;  /* the process ends by exit_group, without clean-up; else SIGKILL */
};

/* Mistakes are ERR_USAGE with the word and what is allowed. */
MUST_USE bool barrier_parse(const char *words, struct barrier *out, struct err *err);
void barrier_fini(struct barrier *barrier);

/* As words that barrier_parse reads again, but for a name. Caller frees. */
char *barrier_describe(const struct barrier *barrier);

#endif
