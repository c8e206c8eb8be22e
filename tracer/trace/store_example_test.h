/* store_example_test.h - a store in a folder of its own, and a trace to put into it, for tests. */
#ifndef TRACE_STORE_EXAMPLE_TEST_H
#define TRACE_STORE_EXAMPLE_TEST_H

#include "store.h"

/* The folder of the running test, gone at its end. */
extern char store_example_folder[64];
extern int store_example_fd;
void store_example_make(void);
void store_example_remove(void);

/* These fail the test when they cannot. */
struct store *store_example_create(void);
struct store *store_example_open(bool want_write);

/* A recorded trace of `count` random ops with every field set, written to the store, its payload in
 * the store's folder. The first tenth of the ops is initial. */
void store_example_record(struct store *store, struct trace *trace, uint32_t count);

#endif
