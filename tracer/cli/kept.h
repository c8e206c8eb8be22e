/* kept.h - the options of a run, kept in its store: for replay, for merge, and so that --resume
 * goes on with the same thing and nothing else. */
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include "settings.h"
#include "tracer/trace/store.h"

MUST_USE bool kept_write(struct store *store, const struct settings *settings, struct err *err);

/* *difference: what differs from the options of the run in the store, as one line that the caller
 * frees, or NULL. The shard is left out when is_shard_free. */
MUST_USE bool kept_compare(struct store *store, const struct settings *settings, bool is_shard_free,
                           char **difference, struct err *err);

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
