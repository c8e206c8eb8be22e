#include "store_sound.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store_example_test.h"

TestSuite(store_sound, .init = store_example_make, .fini = store_example_remove, .timeout = 60);

static void put_file(const char *name, const char *text)
{
    const int fd = openat(store_example_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* The message with which opening fails. */
static void cannot_open(const char *message)
{
    struct store *store = NULL;
    struct err err = {0};
    cr_assert_not(store_open(store_example_fd, false, &store, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
    cr_expect_str_eq(err.text, message);
}

static void run_sql(const char *sql)
{
    char path[128];
    sqlite3 *db = NULL;
    snprintf(path, sizeof path, "%s/run.db", store_example_folder);
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK, "%s", sqlite3_errmsg(db));
    sqlite3_close(db);
}

Test(store_sound, a_folder_without_a_run_is_refused)
{
    cannot_open("there is no run.db in this folder: it holds no run of brink");
}

Test(store_sound, a_file_that_is_no_database_is_refused)
{
    put_file("run.db", "this is a text of somebody who had a file of that name, "
                       "long enough to be looked at as a database, which it is not.\n"
                       "0123456789012345678901234567890123456789012345678901234567890\n");
    cannot_open("run.db is no run of brink");
}

Test(store_sound, a_foreign_database_is_refused)
{
    run_sql("CREATE TABLE a(b)");
    cannot_open("run.db is a database, but no run of brink");
}

Test(store_sound, an_empty_file_is_refused)
{
    put_file("run.db", "");
    cannot_open("run.db is a database, but no run of brink");
}

Test(store_sound, a_run_of_a_newer_brink_is_refused)
{
    store_close(store_example_create());
    run_sql("PRAGMA user_version = 3");
    cannot_open("run.db has format 3, this brink knows format 2: use a newer brink");
}

Test(store_sound, a_run_of_an_older_brink_is_refused_not_misread)
{
    store_close(store_example_create());
    run_sql("PRAGMA user_version = 1");
    cannot_open("run.db has format 1, of an older brink; this one knows format 2: record the run "
                "again");
}

static void cannot_read(const char *message)
{
    struct store *store = store_example_open(false);
    struct trace trace;
    struct err err = {0};
    trace_init(&trace);
    cr_assert_not(store_read_trace(store, &trace, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
    cr_expect_str_eq(err.text, message);
    store_close(store);
}

Test(store_sound, a_run_without_a_trace_is_refused)
{
    store_close(store_example_create());
    cannot_read("the run is not complete: run.db has no trace.initial");
}

Test(store_sound, damage_is_said_and_never_used)
{
    static const struct {
        const char *damage, *message;
    } rows[] = {
        {"UPDATE op SET path = 1000 WHERE id = 7",
         "run.db is damaged: op 7 refers to what is not there"},
        {"UPDATE op SET kind = 99 WHERE id = 7",
         "run.db is damaged: op 7 refers to what is not there"},
        {"UPDATE op SET payload = 1 << 62 WHERE id = 7",
         "run.db is damaged: op 7 refers to what is not there"},
        {"UPDATE op SET flags = 1 WHERE id = 9",
         "run.db is damaged: op 9 refers to what is not there"},
        {"UPDATE op SET call = 1 << 20 WHERE id = 7", "run.db is damaged: a row of the table op"},
        {"DELETE FROM op WHERE id = 3", "run.db is damaged: a row of the table op"},
        {"UPDATE stack SET frame = 99", "run.db is damaged: its table of stacks"},
        {"UPDATE frame SET module = 99", "run.db is damaged: its table of frames"},
        {"UPDATE thread SET program = 99", "run.db is damaged: its table of threads"},
        {"UPDATE string SET text = 'db' WHERE id > 1", "run.db is damaged: its table of strings"},
        {"UPDATE value SET value = 11 WHERE name = 'trace.initial'",
         "run.db is damaged: ops are missing"},
        {"UPDATE robust SET node = 99", "run.db is damaged: its table of robust mutexes"},
        {"UPDATE robust SET recovery = 1", "run.db is damaged: its table of robust mutexes"},
        {"UPDATE robust SET payload = payload + 1",
         "run.db is damaged: its table of robust mutexes"},
        {"DROP TABLE op", "run.db is damaged: no such table: op"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct store *store = store_example_create();
        struct trace trace;
        store_example_record(store, &trace, 10);
        store_close(store);
        trace_fini(&trace);
        run_sql(rows[i].damage);
        cannot_read(rows[i].message);
    }
}

Test(store_sound, a_payload_that_was_cut_short_is_said)
{
    struct store *store = store_example_create();
    struct trace trace;
    store_example_record(store, &trace, 10);
    store_close(store);
    char message[100];
    snprintf(message, sizeof message, "run.payload was cut short: it has 5 of %llu bytes",
             (unsigned long long)trace.payload_size);
    trace_fini(&trace);
    const int fd = openat(store_example_fd, "run.payload", O_WRONLY | O_CLOEXEC);
    cr_assert_eq(ftruncate(fd, 5), 0);
    close(fd);
    cannot_read(message);
}

Test(store_sound, a_second_brink_on_the_same_run_is_refused)
{
    struct store *first = store_example_create();
    struct store *second = NULL;
    struct err err = {0};
    cr_assert_not(store_open(store_example_fd, true, &second, &err));
    cr_expect_str_eq(err.text, "run.db is in use by another brink; wait for it to end");
    store_close(first);
}
