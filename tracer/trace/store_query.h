/* store_query.h - the store's database: opening it by a directory descriptor, and one SQL statement
 * at a time over it. Only the store's own files use this.
 *
 * Values are put in the order of the statement's parameters and taken in the order of its columns.
 * Text may hold any byte but NUL: SQLite keeps the bytes of a TEXT as they are. */
#ifndef TRACE_STORE_QUERY_H
#define TRACE_STORE_QUERY_H

#include <sqlite3.h>
#include <stdint.h>

#include "tracer/base/err.h"

struct store;

struct query {
    struct store *store;
    sqlite3_stmt *statement;
    int at;        /* parameters or columns used so far */
    int bind_code; /* the first failure to put a value */
};

struct store {
    sqlite3 *db;
    int dir_fd;
    bool is_writer;
    struct query put_verdict; /* kept, for it runs for each state */
    unsigned batched;         /* verdicts of the open transaction; 0: none is open */
};

/* Opens dir_fd/run.db. flags: SQLITE_OPEN_.... The database finds its files through the descriptor
 * only, never through the folder's path. */
MUST_USE bool store_connect(struct store *store, int flags, struct err *err);

enum store_mode {
    STORE_BULK,    /* until the trace is written: a cut-short recording is of no use, so no journal
                      on disk. The lock is held from now on: no second brink writes here */
    STORE_CAREFUL, /* each transaction is kept, also when brink is killed */
    STORE_SINGLE,  /* one file is left, to be copied, or opened where nothing can be written */
};
MUST_USE bool store_set_mode(struct store *store, enum store_mode mode, struct err *err);

/* Runs statements without values. */
MUST_USE bool store_run_sql(struct store *store, const char *sql, struct err *err);

/* One transaction around a piece of work: store_end commits when the work is done, takes it back
 * when not (*err is then filled already), and gives is_done on. */
MUST_USE bool store_begin(struct store *store, struct err *err);
MUST_USE bool store_end(struct store *store, bool is_done, struct err *err);

/* Fills *err with what the database says now, in the user's words. Returns false. */
bool store_failed(const struct store *store, const char *doing, struct err *err);

/* "run.db is damaged: WHAT". Returns false. */
bool store_damaged(const char *what, struct err *err);

MUST_USE bool query_open(struct store *store, const char *sql, struct query *out, struct err *err);
void query_close(struct query *query); /* for OWN; accepts {0} */

void query_put(struct query *query, uint64_t value);
void query_put_text(struct query *query, const char *text); /* NULL is NULL; borrowed until done */

/* Executes a statement that gives no rows, and makes it ready for the next values. */
MUST_USE bool query_done(struct query *query, struct err *err);

/* The next row; *has_row false at the end. */
MUST_USE bool query_next(struct query *query, bool *has_row, struct err *err);
uint64_t query_take(struct query *query);
char *query_take_text(struct query *query);         /* NULL for NULL; the caller frees it */
const char *query_borrow_text(struct query *query); /* "" for NULL; until the next row */

#endif
