/* loaded.h - a run that was made before, read back from its output folder. */
#ifndef CLI_LOADED_H
#define CLI_LOADED_H

#include "kept.h"
#include "tracer/trace/store.h"

struct loaded {
    struct store *store;
    struct trace trace;
    struct run run; /* run.trace is the trace above: a loaded one must not be moved */
    struct kept kept;
};

/* Opens the run in the folder `path`, for reading. What is no run is an ERR_USAGE that names the
 * folder. *loaded is to be fini'd whatever happens. */
MUST_USE bool loaded_open(struct loaded *loaded, const char *path, struct err *err);

/* The same from a store that is open, which is borrowed. */
MUST_USE bool loaded_read(struct loaded *loaded, struct store *store, struct err *err);
void loaded_fini(struct loaded *loaded);

/* The state whose id begins with `id` (at least four digits). None or several: ERR_USAGE. */
MUST_USE bool loaded_state(const struct loaded *loaded, const char *id, size_t *index,
                           struct err *err);

#endif
