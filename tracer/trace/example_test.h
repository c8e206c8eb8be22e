/* example_test.h - small traces made by hand, for unit tests of everything that reads traces. */
#ifndef TRACE_EXAMPLE_TEST_H
#define TRACE_EXAMPLE_TEST_H

#include "trace_writer.h"

struct example {
    struct trace trace;
    struct trace_writer writer;
};

/* An empty trace with one thread; its payload lies in a file without a name. */
void example_init(struct example *example);
void example_fini(struct example *example);

/* What has been added so far is the initial workspace. */
void example_begin(struct example *example);

/* Appends an op with a path for people and a payload (both may be NULL); fields as given. */
uint32_t example_op(struct example *example, struct op op, const char *path, const char *payload);

/* The usual ones. Names are in the root directory. */
uint32_t example_create(struct example *example, const char *name); /* the node */
void example_write(struct example *example, uint32_t node, uint64_t offset, const char *payload);
void example_truncate(struct example *example, uint32_t node, uint64_t size);
void example_sync(struct example *example, uint32_t node);
void example_promise(struct example *example, const char *payload);

/* The trace is complete and may be read. */
const struct trace *example_finish(struct example *example);

#endif
