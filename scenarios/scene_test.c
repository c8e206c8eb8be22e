#include "scene.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "child.h"
#include "damage.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static char folder[64];
static struct scene scene;
static struct assertions assertions;
static const struct plan nothing;

static void set_up(void)
{
    strncpy(folder, "/tmp/brink-scene-XXXXXX", sizeof folder - 1);
    cr_assert_not_null(mkdtemp(folder));
    assertions_init(&assertions);
    scene_init(&scene, &nothing, folder, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    scene.assertions = &assertions;
}

static void tear_down(void)
{
    struct err err = {0};
    scene_fini(&scene);
    assertions_fini(&assertions);
    cr_expect(folder_remove(AT_FDCWD, folder, &err), "%s", err.text);
}

TestSuite(scene, .init = set_up, .fini = tear_down, .timeout = 60);

static void put(const char *name, const char *bytes, size_t size)
{
    const int fd = openat(scene.dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    close(fd);
}

/* Whether the last assertion held; what it is called and what it observed. */
static bool last(const char *name, const char *observed)
{
    const size_t count = json_array_size(assertions.list);
    cr_assert_gt(count, 0u);
    const json_t *entry = json_array_get(assertions.list, count - 1);
    cr_expect_str_eq(json_string_value(json_object_get(entry, "name")), name);
    if (observed)
        cr_expect_str_eq(json_string_value(json_object_get(entry, "observed")), observed);
    return json_is_true(json_object_get(entry, "held"));
}

static void look(const struct plan_check *check)
{
    struct err err = {0};
    cr_assert(check_do(&scene, check, &err), "%s", err.text);
}

static void expect_file(const struct plan_check_file *file, bool held, const char *name,
                        const char *observed)
{
    const struct plan_check check = {.name = "c", .kind = CHECK_FILE, .file = *file};
    const size_t before = json_array_size(assertions.list);
    look(&check);
    cr_assert_eq(json_array_size(assertions.list), before + 1, "one value, one assertion");
    cr_expect_eq(last(name, observed), held, "%s", name);
}

Test(scene, a_file_is_compared_by_presence_size_bytes_hash_and_other_files)
{
    static const char hash[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    put("f", "abc", 3);
    put("g", "abcd", 4);
    struct plan_check_file file = {.path = "f", .has_absent = true, .is_absent = true};
    expect_file(&file, false, "c: presence", "there");
    file = (struct plan_check_file){.path = "none", .has_absent = true, .is_absent = true};
    expect_file(&file, true, "c: presence", "absent");
    file = (struct plan_check_file){.path = "f", .has_size = true, .size = 3};
    expect_file(&file, true, "c: size", "3 bytes");
    file = (struct plan_check_file){.path = "none", .has_size = true, .size = 0};
    expect_file(&file, false, "c: size", "absent");
    file = (struct plan_check_file){.path = "f", .bytes = "616263"};
    expect_file(&file, true, "c: bytes", NULL);
    file = (struct plan_check_file){.path = "f", .bytes = "61"};
    expect_file(&file, false, "c: bytes", "3 bytes, from 1 on: 6263");
    file = (struct plan_check_file){.path = "f", .sha256 = hash};
    expect_file(&file, true, "c: sha256", hash);
    file = (struct plan_check_file){.path = "f", .equals = "g"};
    expect_file(&file, false, "c: equals", NULL);
    file = (struct plan_check_file){.path = "f", .prefix_of = "g"};
    expect_file(&file, true, "c: prefix_of", NULL);
    file = (struct plan_check_file){.path = "g", .prefix_of = "f"};
    expect_file(&file, false, "c: prefix_of", NULL);
}

Test(scene, a_file_that_changed_in_any_way_is_not_unchanged)
{
    const struct plan_check_file file = {.path = "f", .unchanged = "halt"};
    put("f", "abc", 3);
    expect_file(&file, false, "c: unchanged", "the moment \"halt\" has not come");
    remembered_take(scene.remembered, scene.dir_fd, "f", "halt");
    expect_file(&file, true, "c: unchanged", NULL);
    struct stat status;
    cr_assert_eq(fstatat(scene.dir_fd, "f", &status, 0), 0);
    const struct timespec times[2] = {status.st_atim, status.st_mtim};
    put("f", "abd", 3);
    cr_assert_eq(utimensat(scene.dir_fd, "f", times, 0), 0);
    expect_file(&file, false, "c: unchanged", "other bytes");
    put("f", "abc", 3);
    expect_file(&file, false, "c: unchanged", "the time of its last change (mtime)");
    put("g", "abc", 3);
    cr_assert_eq(utimensat(scene.dir_fd, "g", times, 0), 0);
    cr_assert_eq(renameat(scene.dir_fd, "g", scene.dir_fd, "f"), 0);
    expect_file(&file, false, "c: unchanged", "another file stands there (inode)");
    cr_assert_eq(unlinkat(scene.dir_fd, "f", 0), 0);
    expect_file(&file, false, "c: unchanged", "it is gone");
}

static void run(const char *script, struct ended *out)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct plan_command command = {.argv = argv, .input = "in", .timeout_ns = 60000000000};
    const struct child_options options = {&command, "child", folder, folder};
    struct err err = {0};
    cr_assert(child_run(&options, out, &err), "%s", err.text);
}

Test(scene, a_child_has_its_streams_its_folder_and_its_end)
{
    struct ended ended = {0};
    char *expected OWN(own_mem) = mem_format("in %s %s", folder, folder);
    run("printf '%s %s %s' \"$(cat)\" \"$(pwd)\" \"$BRINK_WORKSPACE\"; echo bad >&2; exit 3",
        &ended);
    cr_expect_str_eq(ended.out.bytes, expected);
    cr_expect_str_eq(ended.error.bytes, "bad\n");
    cr_expect_eq(WEXITSTATUS(ended.status), 3);
    run("kill -9 $$", &ended);
    const struct plan_end killed = {.is_set = true, .signal = 9};
    ended_check(&ended, "child", &killed, &assertions);
    cr_expect(last("child: end", "signal 9"));
    ended_fini(&ended);
}

Test(scene, a_child_that_does_not_end_in_time_is_killed_and_said_so)
{
    const char *const argv[] = {"sleep", "1000", NULL};
    const struct plan_command command = {.argv = argv, .timeout_ns = 50000000};
    const struct child_options options = {&command, "child", folder, folder};
    struct ended ended = {0};
    struct err err = {0};
    cr_assert(child_run(&options, &ended, &err), "%s", err.text);
    const struct plan_end killed = {.is_set = true, .signal = 9};
    ended_check(&ended, "child", &killed, &assertions);
    cr_expect_not(last("child: end", "did not end in time"));
    ended_fini(&ended);
}

Test(scene, a_program_that_is_not_there_is_the_users_mistake)
{
    const char *const argv[] = {"/nowhere/program", NULL};
    const struct plan_command command = {.argv = argv, .timeout_ns = 50000000};
    const struct child_options options = {&command, "retry", folder, folder};
    struct ended ended = {0};
    struct err err = {0};
    cr_expect_not(child_run(&options, &ended, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
    cr_expect_str_eq(err.text, "retry: start /nowhere/program: No such file or directory");
}

Test(scene, what_is_left_is_killed_but_not_what_is_kept)
{
    const pid_t kept = fork();
    if (kept == 0)
        for (;;)
            pause();
    const pid_t other = fork();
    if (other == 0)
        for (;;)
            pause();
    cr_expect_eq(child_kill_rest(&kept, 1), 1u);
    cr_expect_eq(kill(other, 0), -1);
    cr_expect_eq(kill(kept, 0), 0);
    cr_expect_eq(child_kill_rest(NULL, 0), 1u);
    cr_expect_eq(kill(kept, 0), -1);
}

struct text_row {
    const char *label;
    struct plan_text expected;
    bool held;
};

static const char *const both[] = {"b", "a", NULL};
static const char *const twice[] = {"a", "a", NULL};
static const struct text_row text_rows[] = {
    {"all", {.equals = "a\nb\n"}, true},      {"all, but longer", {.equals = "a\nb"}, false},
    {"a part", {.contains = "\nb"}, true},    {"no part", {.contains = "ba"}, false},
    {"a pattern", {.matches = "^b$"}, true},  {"no pattern", {.matches = "^ab"}, false},
    {"any order", {.any_order = both}, true}, {"other lines", {.any_order = twice}, false},
};

Test(scene, a_stream_is_compared_as_it_was_asked_for)
{
    char bytes[] = "a\nb\n";
    const struct ended_text text = {bytes, strlen(bytes)};
    for (size_t i = 0; i < sizeof text_rows / sizeof *text_rows; i++) {
        ended_check_text(&text, "s", "stdout", &text_rows[i].expected, &assertions);
        cr_expect_eq(last("s: stdout", NULL), text_rows[i].held, "%s", text_rows[i].label);
    }
}

Test(scene, rows_of_a_database_are_compared_with_their_types)
{
    sqlite3 *db;
    char *path OWN(own_mem) = mem_format("%s/db", folder);
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db,
                              "create table t(a, b); insert into t values (1, 'x'), (2.5, "
                              "null), (x'00ff', '3')",
                              NULL, NULL, NULL),
                 SQLITE_OK);
    sqlite3_close(db);
    struct plan_check check = {.name = "c", .kind = CHECK_SQL};
    check.sql = (struct plan_check_sql){.database = "db", .query = "select a, b from t"};
    check.sql.rows = json_loads("[[1,\"x\"],[2.5,null],[\"00ff\",\"3\"]]", 0, NULL);
    look(&check);
    cr_expect(last("c", "[[1,\"x\"],[2.5,null],[\"00ff\",\"3\"]]"));
    json_array_set_new(json_array_get(check.sql.rows, 2), 1, json_integer(3));
    look(&check);
    cr_expect_not(last("c", NULL), "3 is not '3'");
    check.sql.query = "select nowhere";
    look(&check);
    cr_expect_not(last("c", "no such column: nowhere"));
    check.sql.database = "none";
    look(&check);
    cr_expect_not(last("c", "unable to open database file"));
    json_decref(check.sql.rows);
}

Test(scene, lines_of_json_are_selected_counted_and_compared)
{
    static const char lines[] = "{\"k\":1,\"v\":\"a\"}\n\n{\"k\":2,\"v\":\"b\"}\n{\"k\":2}\n";
    struct plan_check check = {.name = "c", .kind = CHECK_JSONL};
    put("log", lines, strlen(lines));
    json_t *where = json_loads("{\"k\": 2}", 0, NULL);
    json_t *equals = json_loads("[\"b\", null]", 0, NULL);
    check.jsonl = (struct plan_check_jsonl){.file = "log", .where = where, .select = "v"};
    check.jsonl.has_count = true;
    check.jsonl.count = 2;
    look(&check);
    cr_expect(last("c: count", "2"));
    check.jsonl.has_count = false;
    check.jsonl.equals = equals;
    look(&check);
    cr_expect(last("c: equals", "[\"b\",null]"));
    put("log", "{\"k\":2}\nno json\n", 16);
    look(&check);
    cr_expect_not(last("c", "line 2 is no JSON"));
    json_decref(where);
    json_decref(equals);
}

Test(scene, damage_does_what_it_says_or_refuses)
{
    struct err err = {0};
    const uint8_t bytes[] = {'x', 'y'};
    struct plan_damage damage = {.path = "f", .kind = DAMAGE_FLIP, .at = 9};
    put("f", "abc", 3);
    cr_expect(damage_do(&damage, scene.dir_fd, &err), "%s", err.text);
    expect_file(&(struct plan_check_file){.path = "f", .bytes = "616063"}, true, "c: bytes", NULL);
    damage = (struct plan_damage){.path = "f", .kind = DAMAGE_CUT, .at = 2};
    cr_expect(damage_do(&damage, scene.dir_fd, &err), "%s", err.text);
    damage = (struct plan_damage){.path = "f", .kind = DAMAGE_PAD, .at = 4};
    cr_expect(damage_do(&damage, scene.dir_fd, &err), "%s", err.text);
    damage = (struct plan_damage){"f", DAMAGE_PUT, 3, bytes, 2};
    cr_expect(damage_do(&damage, scene.dir_fd, &err), "%s", err.text);
    expect_file(&(struct plan_check_file){.path = "f", .bytes = "6160007879"}, true, "c: bytes",
                NULL);
    damage = (struct plan_damage){.path = "f", .kind = DAMAGE_FLIP, .at = 40};
    cr_expect_not(damage_do(&damage, scene.dir_fd, &err));
    cr_expect_str_eq(err.text, "f has no bit 40");
    err = (struct err){0};
    damage = (struct plan_damage){.path = "f", .kind = DAMAGE_CUT, .at = 6};
    cr_expect_not(damage_do(&damage, scene.dir_fd, &err), "a cut that would grow the file");
    err = (struct err){0};
    damage = (struct plan_damage){.path = "none", .kind = DAMAGE_FLIP, .at = 0};
    cr_expect_not(damage_do(&damage, scene.dir_fd, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
}
