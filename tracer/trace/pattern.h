/* pattern.h - bytes to be found in streams that come piece by piece. */
#ifndef TRACE_PATTERN_H
#define TRACE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "barrier.h"

struct pattern;

/* A regular expression that is wrong, or that fits nothing at all, is an ERR_USAGE. */
MUST_USE bool pattern_new(const struct barrier_text *text, struct pattern **out, struct err *err);
void pattern_free(struct pattern *pattern);

/* The last bytes of a stream, as far as a match may begin in them. {0} is the beginning. */
struct pattern_tail {
    char *bytes;
    size_t size;
    bool is_in_line; /* the byte before them is there, and is no newline */
};
void pattern_tail_fini(struct pattern_tail *tail);

/* A copy to try something on. */
struct pattern_tail pattern_tail_copy(const struct pattern_tail *tail);

/* How many matches the next piece of the stream completes. Matches do not overlap. Across pieces, a
 * regular expression's match is found when its part in earlier pieces is at most 4 KiB. */
uint64_t pattern_feed(const struct pattern *pattern, struct pattern_tail *tail, const char *piece,
                      size_t size);

#endif
