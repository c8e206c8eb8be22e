#include "store_schema.h"

#include "op.h"

static const char tables[] =
    "CREATE TABLE value(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE line(topic TEXT, position INTEGER, text TEXT,"
    " PRIMARY KEY(topic, position)) WITHOUT ROWID;"
    "CREATE TABLE string(id INTEGER PRIMARY KEY, text TEXT NOT NULL);"
    "CREATE TABLE kind(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE call(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE op(id INTEGER PRIMARY KEY, kind INTEGER, call INTEGER, thread INTEGER,"
    " enter INTEGER, flags INTEGER, node INTEGER, node2 INTEGER, dir INTEGER, dir2 INTEGER,"
    " name INTEGER, name2 INTEGER, path INTEGER, path2 INTEGER, \"offset\" INTEGER, size INTEGER,"
    " payload INTEGER, payload_size INTEGER, mode INTEGER, uid INTEGER, gid INTEGER,"
    " call_flags INTEGER, error INTEGER, stack INTEGER, time_ns INTEGER);"
    "CREATE TABLE recovery(id INTEGER PRIMARY KEY, first INTEGER, count INTEGER, state INTEGER,"
    " model INTEGER, op INTEGER, variant INTEGER, state_id INTEGER, acked_bytes INTEGER,"
    " sent_messages INTEGER);"
    "CREATE TABLE recovery_op(id INTEGER PRIMARY KEY, kind INTEGER, call INTEGER, thread INTEGER,"
    " enter INTEGER, flags INTEGER, node INTEGER, node2 INTEGER, dir INTEGER, dir2 INTEGER,"
    " name INTEGER, name2 INTEGER, path INTEGER, path2 INTEGER, \"offset\" INTEGER, size INTEGER,"
    " payload INTEGER, payload_size INTEGER, mode INTEGER, uid INTEGER, gid INTEGER,"
    " call_flags INTEGER, error INTEGER, stack INTEGER, time_ns INTEGER);"
    "CREATE TABLE thread(id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, parent INTEGER,"
    " program INTEGER, is_main INTEGER);"
    "CREATE TABLE frame(id INTEGER PRIMARY KEY, address INTEGER, \"offset\" INTEGER,"
    " module INTEGER, function INTEGER, file INTEGER, line INTEGER);"
    "CREATE TABLE robust(id INTEGER PRIMARY KEY, node INTEGER, \"offset\" INTEGER, tid INTEGER,"
    " thread INTEGER, from_op INTEGER, to_op INTEGER, payload INTEGER, recovery INTEGER);"
    "CREATE TABLE stack(id INTEGER, depth INTEGER, frame INTEGER, PRIMARY KEY(id, depth))"
    " WITHOUT ROWID;"
    "CREATE TABLE state(number INTEGER PRIMARY KEY, id TEXT NOT NULL, model TEXT NOT NULL,"
    " op INTEGER, variant INTEGER, hash_low INTEGER, hash_high INTEGER, acked_bytes INTEGER,"
    " sent_messages INTEGER, recovery INTEGER);"
    "CREATE TABLE pair(state INTEGER, model TEXT, pairs INTEGER, PRIMARY KEY(state, model))"
    " WITHOUT ROWID;"
    "CREATE TABLE verdict(state INTEGER PRIMARY KEY, kind TEXT NOT NULL, recover_status INTEGER,"
    " check_status INTEGER, elapsed_ns INTEGER, output TEXT, why TEXT);"
    "CREATE TABLE model(name TEXT PRIMARY KEY, wanted INTEGER, legal INTEGER,"
    " legal_is_bound INTEGER, tried INTEGER, different INTEGER, violated INTEGER,"
    " crashed INTEGER, hung INTEGER, flaky INTEGER, known INTEGER) WITHOUT ROWID;"
    "CREATE TABLE finding(number INTEGER PRIMARY KEY, id TEXT, \"key\" TEXT, weakest TEXT,"
    " states INTEGER, op INTEGER, call TEXT, path TEXT, place TEXT, missing TEXT, sentence TEXT,"
    " cause TEXT, replay TEXT, why TEXT, output TEXT, depth INTEGER, first TEXT, first_is TEXT,"
    " op_is TEXT);";

/* number: as reports say it, 1 for the worker's first op. */
static const char views[] =
    "CREATE VIEW op_list AS SELECT"
    " op.id + 1 - (SELECT value FROM value WHERE name = 'trace.initial') AS number,"
    " CASE WHEN kind.name IN ('store', 'start', 'exec', 'exit', 'lock', 'unlock') THEN kind.name "
    "ELSE call.name END"
    " AS call, kind.name AS kind, path.text AS path, path2.text AS path2,"
    " op.\"offset\", op.size, op.payload_size AS bytes, op.thread,"
    " (op.flags & 2) != 0 AS acked, op.error,"
    " (op.time_ns - (SELECT value FROM value WHERE name = 'trace.started_ns')) / 1e9 AS seconds"
    " FROM op LEFT JOIN call ON call.id = op.call LEFT JOIN kind ON kind.id = op.kind"
    " LEFT JOIN string path ON path.id = op.path LEFT JOIN string path2 ON path2.id = op.path2"
    " WHERE op.id >= (SELECT value FROM value WHERE name = 'trace.initial') ORDER BY op.id;"
    "CREATE VIEW op_stack AS SELECT"
    " op.id + 1 - (SELECT value FROM value WHERE name = 'trace.initial') AS number, stack.depth,"
    " function.text AS function, file.text AS file, frame.line, module.text AS module"
    " FROM op JOIN stack ON stack.id = op.stack JOIN frame ON frame.id = stack.frame"
    " LEFT JOIN string function ON function.id = frame.function"
    " LEFT JOIN string file ON file.id = frame.file"
    " LEFT JOIN string module ON module.id = frame.module ORDER BY op.id, stack.depth;"
    "CREATE VIEW state_list AS SELECT state.id, state.model, state.op"
    " - iif(state.recovery, 0, (SELECT value FROM value WHERE name = 'trace.initial')) AS ops_done,"
    " state.variant, ifnull(verdict.kind, 'not checked') AS verdict, verdict.why, verdict.output,"
    " verdict.elapsed_ns / 1e9 AS seconds,"
    " iif(recovery.id IS NULL, NULL, printf('%016x', recovery.state_id)) AS first"
    " FROM state LEFT JOIN verdict ON verdict.state = state.number"
    " LEFT JOIN recovery ON recovery.id = state.recovery - 1 ORDER BY state.number;";

static const char *const kind_names[] = {
    [OP_WRITE] = "write",       [OP_STORE] = "store",
    [OP_TRUNCATE] = "truncate", [OP_ALLOCATE] = "allocate",
    [OP_CREATE] = "create",     [OP_LINK] = "link",
    [OP_UNLINK] = "unlink",     [OP_RENAME] = "rename",
    [OP_CARRY] = "carry",       [OP_CHMOD] = "chmod",
    [OP_CHOWN] = "chown",       [OP_TIMES] = "times",
    [OP_SETXATTR] = "setxattr", [OP_REMOVEXATTR] = "removexattr",
    [OP_SYNC] = "sync",         [OP_SYNC_RANGE] = "sync range",
    [OP_SYNC_MAP] = "sync map", [OP_SYNC_ALL] = "sync all",
    [OP_OUTPUT] = "output",     [OP_CONNECT] = "connect",
    [OP_SEND] = "send",         [OP_RECEIVE] = "receive",
    [OP_SHUTDOWN] = "shutdown", [OP_START] = "start",
    [OP_EXEC] = "exec",         [OP_EXIT] = "exit",
    [OP_LOCK] = "lock",         [OP_UNLOCK] = "unlock",
};
_Static_assert(sizeof kind_names / sizeof *kind_names == OP_KIND_COUNT, "name every op kind");

static bool put_name(struct query *query, uint64_t id, const char *name, struct err *err)
{
    query_put(query, id);
    query_put_text(query, name);
    return query_done(query, err);
}

static bool fill_kinds(struct store *store, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "INSERT INTO kind VALUES(?, ?)", &query, err))
        return false;
    for (uint64_t i = 0; i < OP_KIND_COUNT; i++) {
        if (!put_name(&query, i, kind_names[i], err))
            return false;
    }
    return true;
}

static bool fill_calls(struct store *store, struct err *err)
{
    enum { CALLS_MAX = 512 };
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "INSERT INTO call VALUES(?, ?)", &query, err))
        return false;
    for (unsigned i = 0; i < CALLS_MAX; i++) {
        const struct op op = {.call = (uint16_t)i};
        if (!put_name(&query, i, op_call_name(&op), err))
            return false;
    }
    return true;
}

bool store_schema_create(struct store *store, struct err *err)
{
    return store_run_sql(
               store, "PRAGMA application_id = 0x62726e6b; PRAGMA user_version = 2; BEGIN", err) &&
           store_run_sql(store, tables, err) && store_run_sql(store, views, err) &&
           fill_kinds(store, err) && fill_calls(store, err) && store_run_sql(store, "COMMIT", err);
}

static bool pragma(struct store *store, const char *sql, uint64_t *out, struct err *err)
{
    struct query query OWN(query_close) = {0};
    bool has_row = false;
    if (!query_open(store, sql, &query, err) || !query_next(&query, &has_row, err))
        return false;
    *out = has_row ? query_take(&query) : 0;
    return true;
}

bool store_schema_check(struct store *store, struct err *err)
{
    uint64_t application = 0, version = 0;
    if (!pragma(store, "PRAGMA application_id", &application, err) ||
        !pragma(store, "PRAGMA user_version", &version, err))
        return false;
    if (application != STORE_APPLICATION)
        return err_usage(err, "run.db is a database, but no run of brink");
    if (version < STORE_VERSION) {
        return err_usage(err,
                         "run.db has format %llu, of an older brink; this one knows format %d: "
                         "record the run again",
                         (unsigned long long)version, STORE_VERSION);
    }
    if (version > STORE_VERSION) {
        return err_usage(err,
                         "run.db has format %llu, this brink knows format %d: use a newer brink",
                         (unsigned long long)version, STORE_VERSION);
    }
    return true;
}
