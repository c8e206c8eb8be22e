#include "store_query.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "store.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"

/* SQLite turns a file's name into an absolute path first, links resolved, and so would undo what a
 * name below /proc/self/fd is for: the folder's path may lead elsewhere by now. This is its own
 * file system layer with that step left out. */
static int keep_path(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    (void)vfs;
    const int need = snprintf(out, (size_t)size, "%s", name);
    return need < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

static const char *direct_vfs(void)
{
    static const char name[] = "brink";
    if (sqlite3_vfs_find(name))
        return name;
    const sqlite3_vfs *usual = sqlite3_vfs_find("unix");
    if (!usual)
        return NULL;
    sqlite3_vfs *direct =
        mem_copy(usual, sizeof *usual); /* SQLite lists it and needs it for good */
    direct->zName = name;
    direct->xFullPathname = keep_path;
    direct->pNext = NULL;
    return sqlite3_vfs_register(direct, 0) == SQLITE_OK ? name : NULL;
}

bool store_failed(const struct store *store, const char *doing, struct err *err)
{
    const int code = sqlite3_extended_errcode(store->db);
    switch (code & 0xff) {
    case SQLITE_NOTADB:
        return err_usage(err, "run.db is no run of brink");
    case SQLITE_CORRUPT:
        return err_usage(err, "run.db is damaged");
    case SQLITE_ERROR: /* a table or column that is not there */
        return err_usage(err, "run.db is damaged: %s", sqlite3_errmsg(store->db));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return err_usage(err, "run.db is in use by another brink; wait for it to end");
    default:
        errno = sqlite3_system_errno(store->db);
        if ((code & 0xff) == SQLITE_FULL)
            errno = ENOSPC;
        if (errno == 0)
            errno = EIO;
        return err_system(err, "%s: run.db: %s", doing, sqlite3_errmsg(store->db));
    }
}

bool store_damaged(const char *what, struct err *err)
{
    return err_usage(err, "run.db is damaged: %s", what);
}

bool store_connect(struct store *store, int flags, struct err *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d/run.db", store->dir_fd);
    const int code = sqlite3_open_v2(path, &store->db, flags, direct_vfs());
    if (code == SQLITE_OK)
        return true;
    if (!store->db) {
        errno = ENOMEM;
        return err_system(err, "open run.db");
    }
    if (sqlite3_system_errno(store->db) == ENOENT)
        return err_usage(err, "there is no run.db in this folder: it holds no run of brink");
    return store_failed(store, "open", err);
}

bool store_set_mode(struct store *store, enum store_mode mode, struct err *err)
{
    static const char bulk[] = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY;"
                               "PRAGMA synchronous = OFF";
    static const char careful[] = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL;"
                                  "PRAGMA synchronous = NORMAL";
    static const char single[] = "PRAGMA journal_mode = DELETE";
    switch (mode) {
    case STORE_BULK:
        return store_run_sql(store, bulk, err);
    case STORE_CAREFUL:
        return store_run_sql(store, careful, err);
    case STORE_SINGLE:
        return store_run_sql(store, single, err);
    }
    UNREACHABLE("store mode");
}

bool store_run_sql(struct store *store, const char *sql, struct err *err)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    return store_failed(store, "use the run", err);
}

bool store_begin(struct store *store, struct err *err)
{
    return store_flush(store, err) && store_run_sql(store, "BEGIN", err);
}

bool store_end(struct store *store, bool is_done, struct err *err)
{
    if (is_done && store_run_sql(store, "COMMIT", err))
        return true;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* SQLite may have done it by itself */
    return false;
}

bool query_open(struct store *store, const char *sql, struct query *out, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_failed(store, "use the run", err);
    *out = (struct query){.store = store, .statement = statement};
    return true;
}

void query_close(struct query *query)
{
    sqlite3_finalize(query->statement);
    *query = (struct query){0};
}

static void note_bind(struct query *query, int code)
{
    if (query->bind_code == SQLITE_OK)
        query->bind_code = code;
}

void query_put(struct query *query, uint64_t value)
{
    note_bind(query, sqlite3_bind_int64(query->statement, ++query->at, (sqlite3_int64)value));
}

void query_put_text(struct query *query, const char *text)
{
    /* NULL as the destructor is SQLITE_STATIC: the text stays the caller's. */
    note_bind(query, sqlite3_bind_text(query->statement, ++query->at, text, -1, NULL));
}

bool query_done(struct query *query, struct err *err)
{
    if (query->bind_code != SQLITE_OK || sqlite3_step(query->statement) != SQLITE_DONE)
        return store_failed(query->store, "write the run", err);
    sqlite3_reset(query->statement);
    query->at = 0;
    return true;
}

bool query_next(struct query *query, bool *has_row, struct err *err)
{
    const int code =
        query->bind_code == SQLITE_OK ? sqlite3_step(query->statement) : query->bind_code;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return store_failed(query->store, "read the run", err);
    query->at = 0;
    *has_row = code == SQLITE_ROW;
    return true;
}

uint64_t query_take(struct query *query)
{
    return (uint64_t)sqlite3_column_int64(query->statement, query->at++);
}

const char *query_borrow_text(struct query *query)
{
    const char *text = (const char *)sqlite3_column_text(query->statement, query->at++);
    return text ? text : "";
}

char *query_take_text(struct query *query)
{
    const char *text = (const char *)sqlite3_column_text(query->statement, query->at++);
    return text ? mem_string(text) : NULL;
}
