/* kept.h - the options of a run, kept in its store: for replay, for merge, and so that --resume
 * goes on with the same thing and nothing else. */
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include "settings.h"
#include "tracer/trace/store.h"

MUST_USE bool kept_write(struct store *store, const struct settings *settings, struct err *err);

/* *difference: what differs from the options of the run in the store, as one line that the caller
 * frees, or NULL. */
MUST_USE bool kept_compare(struct store *store, const struct settings *settings, char **difference,
                           struct err *err);

/* The same between two runs that are to be joined: they may differ in their shard, and in where
 * they were made. */
MUST_USE bool kept_compare_runs(struct store *first, struct store *other, char **difference,
                                struct err *err);

/* Copies all options, for a run that is the whole of its shards. */
MUST_USE bool kept_copy_whole(struct store *from, struct store *to, struct err *err);

/* The mark of a run whose trace and states are all stored: it can be gone on with. */
MUST_USE bool kept_set_resumable(struct store *store, struct err *err);
MUST_USE bool kept_is_resumable(struct store *store, bool *out, struct err *err);

/* The options of the run in the store. Strings and lists belong to *out. */
struct kept {
    struct settings settings;
    char *cwd; /* where the commands were given */
    char *recover, *check, *slot_dir;
    char **env; /* NULL-terminated */
};
MUST_USE bool kept_read(struct store *store, struct kept *out, struct err *err);
void kept_fini(struct kept *kept);

#endif
