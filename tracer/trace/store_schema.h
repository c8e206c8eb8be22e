/* store_schema.h - the tables of run.db, as docs/store.md describes them to users. */
#ifndef TRACE_STORE_SCHEMA_H
#define TRACE_STORE_SCHEMA_H

#include "store_query.h"

enum {
    STORE_APPLICATION = 0x62726e6b, /* "brnk": by it brink knows its own output folders */
    STORE_VERSION = 2,              /* PRAGMA user_version; one more with each change */
};

/* Makes all tables and views in an empty database, and fills the tables of names. */
MUST_USE bool store_schema_create(struct store *store, struct err *err);

/* Refuses what is no run, or one of a newer brink. */
MUST_USE bool store_schema_check(struct store *store, struct err *err);

#endif
