/* store.h - a run on disk: run.db (SQLite) with a payload file beside it.
 *
 * A user may query run.db: docs/store.md describes its tables. Everything goes through a directory
 * descriptor, because the folder's path may be hidden by a mount. Verdicts are written as they come
 * (one transaction for some hundred), so that a crash of brink loses no finished ones. */
#ifndef TRACE_STORE_H
#define TRACE_STORE_H

#include "trace.h"
#include "verdict.h"

struct store;

/* A new run.db in the directory; replaces an old one. The store keeps its own copy of dir_fd. */
MUST_USE bool store_create(int dir_fd, struct store **out, struct err *err);

/* An existing one. Not a run.db, or of a newer version: ERR_USAGE that says so. */
MUST_USE bool store_open(int dir_fd, bool want_write, struct store **out, struct err *err);
void store_close(struct store *store);

/* A new empty payload file in the store's directory, open for reading and writing. */
MUST_USE bool store_payload_create(struct store *store, int *out_fd, struct err *err);

MUST_USE bool store_write_trace(struct store *store, const struct trace *trace, struct err *err);
MUST_USE bool store_read_trace(struct store *store, struct trace *out, struct err *err);

/* Single values by name: options of the run, counts, the seed. */
MUST_USE bool store_set(struct store *store, const char *name, const char *value, struct err *err);
/* *out is NULL when there is none; else the caller frees it. */
MUST_USE bool store_get(struct store *store, const char *name, char **out, struct err *err);

MUST_USE bool store_write_states(struct store *store, const struct state *states, size_t count,
                                 struct err *err);
MUST_USE bool store_read_states(struct store *store, struct state **out, size_t *count,
                                struct err *err);

/* Adds or replaces one verdict (by its state). store_flush ends the open transaction. */
MUST_USE bool store_put_verdict(struct store *store, const struct verdict *verdict,
                                struct err *err);
MUST_USE bool store_flush(struct store *store, struct err *err);

/* One verdict for each of `count` states; kind VERDICT_NONE where there is none. */
MUST_USE bool store_read_verdicts(struct store *store, size_t count, struct verdict **out,
                                  struct err *err);

/* The whole outcome: counts, findings, notes. store_read_run fills everything but run->trace,
 * which the caller has read and set before. */
MUST_USE bool store_write_run(struct store *store, const struct run *run, struct err *err);
MUST_USE bool store_read_run(struct store *store, struct run *run, struct err *err);

#endif
