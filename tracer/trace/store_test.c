#include "store.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include "robust_place.h"
#include "store_example_test.h"
#include "tracer/base/mem.h"

TestSuite(store, .init = store_example_make, .fini = store_example_remove, .timeout = 60);

/* The first column of the first row. */
static char *ask(const char *sql)
{
    char path[128];
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    snprintf(path, sizeof path, "%s/run.db", store_example_folder);
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(db));
    cr_assert_eq(sqlite3_step(statement), SQLITE_ROW);
    char *text = mem_string((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return text;
}

static void read_back(struct store *store, struct trace *trace)
{
    struct err err = {0};
    trace_init(trace);
    cr_assert(store_read_trace(store, trace, &err), "%s", err.text);
}

static bool is_same_op(const struct op *a, const struct op *b)
{
    const bool numbers = a->payload == b->payload && a->payload_size == b->payload_size &&
                         a->offset == b->offset && a->size == b->size && a->time_ns == b->time_ns &&
                         a->enter == b->enter && a->thread == b->thread && a->mode == b->mode;
    const bool nodes =
        a->node == b->node && a->node2 == b->node2 && a->dir == b->dir && a->dir2 == b->dir2;
    const bool strings =
        a->name == b->name && a->name2 == b->name2 && a->path == b->path && a->path2 == b->path2;
    const bool rest = a->uid == b->uid && a->gid == b->gid && a->call_flags == b->call_flags &&
                      a->error == b->error && a->flags == b->flags && a->call == b->call &&
                      a->kind == b->kind && a->stack == b->stack;
    return numbers && nodes && strings && rest;
}

static void expect_same_about(const struct trace_about *a, const struct trace_about *b)
{
    cr_expect_str_eq(a->workspace, b->workspace);
    cr_expect_str_eq(a->argv[0], b->argv[0]);
    cr_expect_str_eq(a->argv[1], b->argv[1]);
    cr_expect_null(a->argv[2]);
    cr_expect_eq(a->wait_status, b->wait_status);
    cr_expect_eq(a->processes, b->processes);
    cr_expect_eq(a->io_uring_refused, b->io_uring_refused);
    cr_expect_eq(a->left_processes, b->left_processes);
    cr_expect_eq(a->stops, b->stops);
    cr_expect_eq(a->started_ns, b->started_ns);
    cr_expect_eq(a->elapsed_ns, b->elapsed_ns);
    cr_assert_eq(a->notes_count, b->notes_count);
    cr_expect_str_eq(a->notes[0], b->notes[0]);
}

static void expect_same_tables(const struct trace *a, const struct trace *b)
{
    cr_assert_eq(a->strings.count, b->strings.count);
    for (size_t i = 0; i < a->strings.count; i++)
        cr_expect_str_eq(a->strings.items[i], b->strings.items[i]);
    cr_assert_eq(a->threads_count, b->threads_count);
    cr_expect_eq(a->threads[0].pid, b->threads[0].pid);
    cr_expect_eq(a->threads[0].program, b->threads[0].program);
    cr_expect_eq(a->threads[0].is_main, b->threads[0].is_main);
    cr_assert_eq(a->frames_count, b->frames_count);
    for (uint32_t i = 0; i < a->frames_count; i++) {
        cr_expect_eq(a->frames[i].address, b->frames[i].address);
        cr_expect_eq(a->frames[i].line, b->frames[i].line);
    }
    cr_assert_eq(a->stacks_count, b->stacks_count);
    cr_expect_arr_eq(a->stacks, b->stacks, a->stacks_count * sizeof *a->stacks);
    cr_assert_eq(a->stack_frames_count, b->stack_frames_count);
    cr_expect_arr_eq(a->stack_frames, b->stack_frames,
                     a->stack_frames_count * sizeof *a->stack_frames);
    cr_assert_eq(a->robust_count, 1);
    cr_assert_eq(b->robust_count, 1);
    cr_expect_arr_eq(a->robust, b->robust, sizeof *a->robust);
}

static void expect_same_bytes(const struct trace *a, const struct trace *b, const struct op *op)
{
    char left[300], right[300];
    struct err err = {0};
    cr_assert(trace_read(a, op->payload, left, op->payload_size, &err), "%s", err.text);
    cr_assert(trace_read(b, op->payload, right, op->payload_size, &err), "%s", err.text);
    cr_expect_arr_eq(left, right, op->payload_size);
}

Test(store, a_trace_comes_back_exactly_as_it_was_written)
{
    struct store *store = store_example_create();
    struct trace written, read;
    store_example_record(store, &written, 1000);
    store_close(store);
    store = store_example_open(false);
    read_back(store, &read);
    cr_assert_eq(read.count, written.count);
    cr_expect_eq(read.initial, written.initial);
    cr_expect_eq(read.nodes, written.nodes);
    cr_expect_eq(read.payload_size, written.payload_size);
    for (uint32_t i = 0; i < read.count; i++) {
        cr_assert(is_same_op(&read.ops[i], &written.ops[i]), "op %u", i);
        expect_same_bytes(&read, &written, &written.ops[i]);
    }
    expect_same_tables(&read, &written);
    expect_same_about(&read.about, &written.about);
    trace_fini(&read);
    trace_fini(&written);
    store_close(store);
}

Test(store, promises_are_the_same_after_reading)
{
    struct store *store = store_example_create();
    struct trace written, read;
    store_example_record(store, &written, 500);
    read_back(store, &read);
    cr_expect_eq(read.indexed, read.count, "asking is fast");
    written.indexed = 0; /* count one by one */
    for (uint32_t k = 0; k <= read.count; k++) {
        const struct trace_promised a = trace_promised(&read, k);
        const struct trace_promised b = trace_promised(&written, k);
        cr_assert_eq(a.acked_bytes, b.acked_bytes, "before op %u", k);
        cr_assert_eq(a.sent_messages, b.sent_messages, "before op %u", k);
    }
    trace_fini(&read);
    trace_fini(&written);
    store_close(store);
}

/* Hides the folder's path below a mount of its own; whether this machine allows that. */
static bool hide_folder(void)
{
    const int spaces = geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
    return unshare(spaces) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", store_example_folder, "tmpfs", 0, NULL) == 0;
}

Test(store, a_folder_whose_path_is_hidden_by_a_mount_is_still_written_and_read)
{
    if (!hide_folder())
        cr_skip_test("this machine allows no mounts");
    struct store *store = store_example_create();
    struct trace trace;
    struct err err = {0};
    store_example_record(store, &trace, 10);
    cr_expect(store_set(store, "a", "b", &err), "%s", err.text);
    store_close(store);
    store_close(store_example_open(false));
    trace_fini(&trace);
    cr_expect_eq(faccessat(store_example_fd, "run.db", R_OK, 0), 0);
    cr_assert_eq(umount(store_example_folder), 0);
}

Test(store, a_closed_run_is_one_database_file_and_its_payload)
{
    struct store *store = store_example_create();
    struct trace trace;
    store_example_record(store, &trace, 10);
    store_close(store);
    trace_fini(&trace);
    cr_expect_neq(faccessat(store_example_fd, "run.db-wal", F_OK, 0), 0);
    cr_expect_neq(faccessat(store_example_fd, "run.db-shm", F_OK, 0), 0);
    char *mode = ask("PRAGMA journal_mode");
    cr_expect_str_eq(mode, "delete", "so that it can be read where nothing can be written");
    free(mode);
}

Test(store, values_come_back_and_missing_ones_are_null)
{
    struct store *store = store_example_create();
    struct err err = {0};
    char *value = NULL;
    cr_assert(store_set(store, "budget", "1", &err));
    cr_assert(store_set(store, "budget", "5000", &err));
    cr_assert(store_get(store, "budget", &value, &err));
    cr_expect_str_eq(value, "5000");
    free(value);
    cr_assert(store_get(store, "nothing", &value, &err));
    cr_expect_null(value);
    store_close(store);
}

Test(store, the_view_of_ops_numbers_the_first_op_of_the_worker_as_1)
{
    struct store *store = store_example_create();
    struct trace trace;
    store_example_record(store, &trace, 100);
    store_close(store);
    trace_fini(&trace);
    char *text = ask("SELECT min(number) || ' ' || count(*) FROM op_list");
    cr_expect_str_eq(text, "1 90");
    free(text);
    text = ask("SELECT count(*) > 0 FROM op_stack");
    cr_expect_str_eq(text, "1");
    free(text);
}
