#include "ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema[] =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = FULL;"
    "CREATE TABLE IF NOT EXISTS computations (id INTEGER PRIMARY KEY, job_id TEXT NOT NULL,"
    " ticket_id TEXT NOT NULL, title TEXT NOT NULL, classification TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS effects (action_id TEXT PRIMARY KEY, job_id TEXT NOT NULL,"
    " payload BLOB NOT NULL, payload_digest TEXT NOT NULL, committed_at_ms INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS receipts (action_id TEXT PRIMARY KEY REFERENCES effects,"
    " receipt TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS http_audit (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
    " job_id TEXT, action_id TEXT, status INTEGER NOT NULL, outcome TEXT NOT NULL, body BLOB);";

enum value_kind { VALUE_TEXT, VALUE_BLOB, VALUE_NUMBER };

struct value {
    enum value_kind kind;
    const void *bytes; /* NULL is SQL's NULL */
    size_t size;       /* of a blob */
    int64_t number;
};

static struct value text(const char *bytes)
{
    return (struct value){VALUE_TEXT, bytes, 0, 0};
}

static struct value blob(const void *bytes, size_t size)
{
    return (struct value){VALUE_BLOB, bytes, size, 0};
}

static struct value number(int64_t number)
{
    return (struct value){VALUE_NUMBER, NULL, 0, number};
}

static bool fail_sql(struct ledger *ledger, struct fail *fail)
{
    return fail_with(fail, EXIT_CODE_SYSTEM, "ledger: %s", sqlite3_errmsg(ledger->db));
}

static int bind(sqlite3_stmt *statement, int place, const struct value *value)
{
    switch (value->kind) {
    case VALUE_TEXT:
        return sqlite3_bind_text(statement, place, value->bytes, -1, SQLITE_STATIC);
    case VALUE_BLOB:
        return sqlite3_bind_blob64(statement, place, value->bytes, value->size, SQLITE_STATIC);
    case VALUE_NUMBER:
        break;
    }
    return sqlite3_bind_int64(statement, place, value->number);
}

/* Prepares with values for all the question marks. NULL: *fail is filled. */
static sqlite3_stmt *prepare(struct ledger *ledger, const char *sql, const struct value *values,
                             struct fail *fail)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(ledger->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail_sql(ledger, fail);
        return NULL;
    }
    const int count = sqlite3_bind_parameter_count(statement);
    for (int i = 0; i < count; i++) {
        if (bind(statement, i + 1, &values[i]) != SQLITE_OK) {
            fail_sql(ledger, fail);
            sqlite3_finalize(statement);
            return NULL;
        }
    }
    return statement;
}

static bool run(struct ledger *ledger, const char *sql, const struct value *values,
                struct fail *fail)
{
    sqlite3_stmt *statement = prepare(ledger, sql, values, fail);
    if (!statement)
        return false;
    const bool is_done = sqlite3_step(statement) == SQLITE_DONE || fail_sql(ledger, fail);
    sqlite3_finalize(statement);
    return is_done;
}

/* Ends the transaction: commits when all before went well, else takes everything back. */
static bool end(struct ledger *ledger, bool is_good, struct fail *fail)
{
    if (is_good && run(ledger, "COMMIT", NULL, fail))
        return true;
    sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

static bool insert_audit(struct ledger *ledger, const struct ledger_audit *audit, struct fail *fail)
{
    const struct value values[] = {text(audit->kind),      text(audit->job_id),
                                   text(audit->action_id), number(audit->status),
                                   text(audit->outcome),   blob(audit->body, audit->body_size)};
    return run(ledger,
               "INSERT INTO http_audit (kind, job_id, action_id, status, outcome, body)"
               " VALUES (?, ?, ?, ?, ?, ?)",
               values, fail);
}

bool ledger_open(struct ledger *ledger, const char *path, struct fail *fail)
{
    enum { BUSY_MS = 5000 }; /* an auditor may be reading */
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    const int code = sqlite3_open_v2(path, &ledger->db, flags, NULL);
    if (code == SQLITE_OK && sqlite3_busy_timeout(ledger->db, BUSY_MS) == SQLITE_OK &&
        sqlite3_exec(ledger->db, schema, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    fail_with(fail, EXIT_CODE_SYSTEM, "%.300s: %s", path,
              ledger->db ? sqlite3_errmsg(ledger->db) : sqlite3_errstr(code));
    ledger_close(ledger);
    return false;
}

void ledger_close(struct ledger *ledger)
{
    sqlite3_close(ledger->db);
    ledger->db = NULL;
}

bool ledger_count_computations(struct ledger *ledger, const char *job_id, int *count,
                               struct fail *fail)
{
    const struct value values[] = {text(job_id)};
    sqlite3_stmt *statement =
        prepare(ledger, "SELECT count(*) FROM computations WHERE job_id = ?", values, fail);
    if (!statement)
        return false;
    const bool is_read = sqlite3_step(statement) == SQLITE_ROW || fail_sql(ledger, fail);
    if (is_read)
        *count = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return is_read;
}

bool ledger_compute(struct ledger *ledger, const struct ledger_computation *computation,
                    const struct ledger_audit *audit, struct fail *fail)
{
    const struct value values[] = {text(computation->job_id), text(computation->ticket_id),
                                   text(computation->title), text(computation->classification)};
    if (!run(ledger, "BEGIN IMMEDIATE", NULL, fail))
        return false;
    const bool is_good = run(ledger,
                             "INSERT INTO computations (job_id, ticket_id, title, classification)"
                             " VALUES (?, ?, ?, ?)",
                             values, fail) &&
                         insert_audit(ledger, audit, fail);
    return end(ledger, is_good, fail);
}

bool ledger_act(struct ledger *ledger, const struct ledger_effect *effect,
                const struct ledger_audit *audit, struct fail *fail)
{
    const struct value row[] = {text(effect->action_id), text(effect->job_id),
                                blob(effect->payload, effect->payload_size),
                                text(effect->payload_digest), number(effect->committed_at_ms)};
    const struct value receipt[] = {text(effect->action_id), text(effect->receipt)};
    if (!run(ledger, "BEGIN IMMEDIATE", NULL, fail))
        return false;
    const bool is_good = run(ledger, "INSERT INTO effects VALUES (?, ?, ?, ?, ?)", row, fail) &&
                         run(ledger, "INSERT INTO receipts VALUES (?, ?)", receipt, fail) &&
                         insert_audit(ledger, audit, fail);
    if (is_good && effect->before_commit)
        effect->before_commit();
    return end(ledger, is_good, fail);
}

bool ledger_find(struct ledger *ledger, const char *action_id, struct ledger_found *found,
                 struct fail *fail)
{
    const struct value values[] = {text(action_id)};
    sqlite3_stmt *statement = prepare(ledger,
                                      "SELECT payload_digest, receipt FROM effects"
                                      " JOIN receipts USING (action_id) WHERE action_id = ?",
                                      values, fail);
    if (!statement)
        return false;
    const int code = sqlite3_step(statement);
    bool is_read = code == SQLITE_ROW || code == SQLITE_DONE || fail_sql(ledger, fail);
    *found = (struct ledger_found){.is_there = code == SQLITE_ROW};
    if (found->is_there) {
        snprintf(found->payload_digest, sizeof found->payload_digest, "%s",
                 (const char *)sqlite3_column_text(statement, 0));
        found->receipt = strdup((const char *)sqlite3_column_text(statement, 1));
        is_read = found->receipt || fail_memory(fail);
    }
    sqlite3_finalize(statement);
    return is_read;
}

bool ledger_note(struct ledger *ledger, const struct ledger_audit *audit, struct fail *fail)
{
    return insert_audit(ledger, audit, fail);
}

bool ledger_reset(struct ledger *ledger, struct fail *fail)
{
    return sqlite3_exec(ledger->db,
                        "BEGIN IMMEDIATE; DELETE FROM receipts; DELETE FROM effects;"
                        "DELETE FROM computations; DELETE FROM http_audit; COMMIT",
                        NULL, NULL, NULL) == SQLITE_OK ||
           fail_sql(ledger, fail);
}
