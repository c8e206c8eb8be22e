/* suite.h - all cases of the scenario files that a user named.
 *
 * A scenario gives one case for each combination of its matrix, named NAME[param=value,...]; a case
 * has one run for each combination of `each` and each order of its locks. Everything is read and
 * checked before anything is run: a mistake in the last file stops the first. */
#ifndef SCENARIOS_SUITE_H
#define SCENARIOS_SUITE_H

#include "plan.h"

struct suite_case {
    char *name;
    const struct source *source;
    json_t *values; /* of the matrix */
    json_t *each;   /* an array of objects: values of each run */
    uint32_t orders;
    size_t runs;
};

struct suite {
    struct source **sources;
    size_t sources_count, sources_capacity;
    struct suite_case *cases; /* in the order of files, then of the matrix */
    size_t count, capacity;
};

/* Adds the cases of a file, or of all *.scenario.json below a folder. {0} is an empty suite, to be
 * fini'd whatever happens. */
MUST_USE bool suite_add(struct suite *suite, const char *path, struct err *err);
void suite_fini(struct suite *suite);

/* Keeps those whose name fits a pattern (fnmatch) or is it; NULL: all. None left: ERR_USAGE. */
MUST_USE bool suite_only(struct suite *suite, const char *pattern, struct err *err);

/* Keeps each `shards`-th case, from number `shard` on. May leave none. */
void suite_shard(struct suite *suite, uint32_t shard, uint32_t shards);

/* What is known only where a run takes place. */
struct suite_place {
    const char *dir;   /* workspace */
    const char *state; /* folder for the services' own state */
    const char *kept;  /* folder that lasts for all runs of the case */
    uint16_t port;
};
MUST_USE bool suite_plan(const struct suite_case *suite_case, size_t run,
                         const struct suite_place *place, struct plan *out, struct err *err);

/* ${bin}: the folder that brink's own program lies in. Caller frees. */
char *suite_bin(void);

/* "[n=3]" for a run of a case that has several; "" else. Caller frees. */
char *suite_run_label(const struct suite_case *suite_case, size_t run);

/* The name of a case's folder: unique in the suite, fit for any file system. Caller frees. */
char *suite_folder(const struct suite *suite, const struct suite_case *suite_case);

#endif
