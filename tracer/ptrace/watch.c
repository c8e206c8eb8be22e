#include "watch.h"

#include <stddef.h>

#include "tracer/base/check.h"

struct watch *watch_new(const struct record_options *options, struct trace_writer *writer)
{
    CHECK(options->halt == NULL || options->barrier == NULL);
    if (options->halt != NULL)
        return watch_op_new(options->halt);
    return options->barrier != NULL ? watch_barrier_new(options->barrier, writer) : NULL;
}

void watch_free(struct watch *watch)
{
    if (watch != NULL)
        watch->free(watch);
}
