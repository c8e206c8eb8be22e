/* verb_explore.c - brink explore: record one run, explore its crash states. */
#include "exploration.h"
#include "verbs.h"

bool verb_explore(const struct settings *settings, int *status, struct err *err)
{
    struct exploration exploration;
    exploration_init(&exploration, settings);
    const bool is_done = exploration_run(&exploration, err);
    if (is_done)
        *status = run_violations(&exploration.run) > 0 ? EXIT_FOUND : EXIT_HELD;
    exploration_fini(&exploration);
    return is_done;
}
