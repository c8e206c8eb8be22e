#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "hex.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

enum { ROWS_MAX = 10000, BUSY_MS = 5000 };

static json_t *text_value(const void *bytes, int size)
{
    char *clean OWN(own_mem) = text_escape(bytes ? bytes : "", (size_t)size);
    json_t *plain = json_stringn(bytes ? bytes : "", (size_t)size);
    return plain ? plain : json_string(clean); /* no UTF-8 */
}

static json_t *column_value(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
        return json_real(sqlite3_column_double(statement, column));
    case SQLITE_NULL:
        return json_null();
    case SQLITE_BLOB: {
        const void *bytes = sqlite3_column_blob(statement, column);
        char *digits OWN(own_mem) =
            hex_encode(bytes, (size_t)sqlite3_column_bytes(statement, column));
        return json_string(digits);
    }
    default:
        return text_value(sqlite3_column_text(statement, column),
                          sqlite3_column_bytes(statement, column));
    }
}

static int read_rows(sqlite3_stmt *statement, json_t *rows)
{
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW && json_array_size(rows) < ROWS_MAX; code = sqlite3_step(statement)) {
        json_t *row = json_array();
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            json_array_append_new(row, column_value(statement, i));
        json_array_append_new(rows, row);
    }
    return code;
}

static void compare(struct scene *scene, const struct plan_check *check, const json_t *rows)
{
    char *expected OWN(own_mem) = json_dumps(check->sql.rows, JSON_COMPACT | JSON_ENCODE_ANY);
    char *observed OWN(own_mem) = json_dumps(rows, JSON_COMPACT);
    const struct assertion assertion = {check->name, NULL, expected, observed};
    assertions_add(scene->assertions, &assertion, json_equal(check->sql.rows, rows) != 0);
}

void check_sql(struct scene *scene, const struct plan_check *check)
{
    const bool is_absolute = check->sql.database[0] == '/';
    char *path OWN(own_mem) = mem_format("%s%s%s", is_absolute ? "" : scene->dir,
                                         is_absolute ? "" : "/", check->sql.database);
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    json_t *rows = json_array();
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
    if (code == SQLITE_OK)
        sqlite3_busy_timeout(db, BUSY_MS);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(db, check->sql.query, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = read_rows(statement, rows);
    if (code == SQLITE_DONE) {
        compare(scene, check, rows);
    } else {
        check_impossible(scene, check, check->sql.query,
                         code == SQLITE_ROW ? "too many rows" : sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    json_decref(rows);
}
