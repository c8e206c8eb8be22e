#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "store_query.h"
#include "store_schema.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static void own_store(struct store **store)
{
    store_close(*store);
}

static bool store_new(int dir_fd, bool is_writer, struct store **out, struct err *err)
{
    const int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return err_system(err, "open the folder of the run");
    struct store *store = mem_new(1, sizeof *store);
    *store = (struct store){.dir_fd = fd, .is_writer = is_writer};
    *out = store;
    return true;
}

static bool remove_old(int dir_fd, struct err *err)
{
    static const char *const names[] = {"run.db", "run.db-journal", "run.db-wal", "run.db-shm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (unlinkat(dir_fd, names[i], 0) != 0 && errno != ENOENT)
            return err_system(err, "remove the old %s", names[i]);
    }
    return true;
}

bool store_create(int dir_fd, struct store **out, struct err *err)
{
    struct store *store OWN(own_store) = NULL;
    if (!remove_old(dir_fd, err) || !store_new(dir_fd, true, &store, err))
        return false;
    if (!store_connect(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err) ||
        !store_set_mode(store, STORE_BULK, err) || !store_schema_create(store, err))
        return err_while(err, "create the run");
    *out = store;
    store = NULL;
    return true;
}

bool store_open(int dir_fd, bool want_write, struct store **out, struct err *err)
{
    struct store *store OWN(own_store) = NULL;
    if (!store_new(dir_fd, want_write, &store, err))
        return false;
    const int flags = want_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    if (!store_connect(store, flags, err) || !store_schema_check(store, err))
        return false;
    if (want_write && !store_set_mode(store, STORE_CAREFUL, err))
        return false;
    *out = store;
    store = NULL;
    return true;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    struct err ignored = {0};
    if (!store_flush(store, &ignored))
        ignored = (struct err){0}; /* who wanted to know has flushed before */
    query_close(&store->put_verdict);
    if (store->db && store->is_writer && !store_set_mode(store, STORE_SINGLE, &ignored))
        ignored = (struct err){0};
    sqlite3_close(store->db);
    own_close_now(&store->dir_fd);
    free(store);
}

bool store_payload_create(struct store *store, int *out_fd, struct err *err)
{
    const int fd =
        openat(store->dir_fd, "run.payload", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return err_system(err, "create run.payload");
    *out_fd = fd;
    return true;
}

bool store_set(struct store *store, const char *name, const char *value, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "INSERT OR REPLACE INTO value VALUES(?, ?)", &query, err))
        return false;
    query_put_text(&query, name);
    query_put_text(&query, value);
    return query_done(&query, err);
}

bool store_get(struct store *store, const char *name, char **out, struct err *err)
{
    struct query query OWN(query_close) = {0};
    bool has_row = false;
    if (!query_open(store, "SELECT value FROM value WHERE name = ?", &query, err))
        return false;
    query_put_text(&query, name);
    if (!query_next(&query, &has_row, err))
        return false;
    *out = has_row ? query_take_text(&query) : NULL;
    return true;
}
