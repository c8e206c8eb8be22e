/* barrier_matcher.h - follows the ops of a worker and says when a barrier is reached.
 *
 * It is shown every op that was made, in order, and keeps of each file and connection the last
 * bytes, as far as a match may begin there. An op that is about to be made can be asked about.
 * Which numbers of occurrence, place and deed the barrier names is the caller's business: here all
 * occurrences are counted. */
#ifndef TRACE_BARRIER_MATCHER_H
#define TRACE_BARRIER_MATCHER_H

#include "barrier.h"

/* Reads recorded bytes; of a trace that is still being written, or of a finished one. */
struct barrier_source {
    bool (*read)(const void *context, uint64_t at, void *to, size_t size, struct err *err);
    const void *context;
};

/* The source of a finished trace. */
struct barrier_source barrier_source_of(const struct trace *trace);

struct barrier_matcher;

/* barrier and trace are borrowed. */
struct barrier_matcher *barrier_matcher_new(const struct barrier *barrier,
                                            const struct trace *trace,
                                            const struct barrier_source *source);
void barrier_matcher_free(struct barrier_matcher *matcher);

/* How often the barrier would be reached by an op that is about to be made, with all its bytes. Its
 * `enter` is the number of ops that are complete. Changes nothing. */
MUST_USE bool barrier_matcher_ask(const struct barrier_matcher *matcher, const struct op *op,
                                  uint64_t *times, struct err *err);

/* The next op that was made, of the matcher's trace; and how often it reached the barrier. */
MUST_USE bool barrier_matcher_add(struct barrier_matcher *matcher, uint32_t op, uint64_t *times,
                                  struct err *err);

/* The ops of the worker in a finished trace that reach the barrier, growing; one that reaches it
 * twice stands there twice. Caller frees *out. */
MUST_USE bool barrier_find(const struct barrier *barrier, const struct trace *trace, uint32_t **out,
                           size_t *count, struct err *err);

#endif
