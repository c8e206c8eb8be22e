#include "suite.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/file.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { MESSAGE_MAX = 4096 };

static char folder[64];

static void make_folder(void)
{
    strncpy(folder, "/tmp/brink-suite-XXXXXX", sizeof folder - 1);
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void)
{
    struct err err = {0};
    cr_expect(folder_remove(AT_FDCWD, folder, &err), "%s", err.text);
}

TestSuite(suite, .init = make_folder, .fini = remove_folder, .timeout = 60);

/* Writes a file of the test's folder and gives its path. */
static char *put(const char *name, const char *text)
{
    char *path = mem_format("%s/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

/* A scenario with what the tests here do not look at. */
static char *put_scenario(const char *file, const char *body)
{
    char *text OWN(own_mem) = mem_format(
        "{\"name\": \"s\", \"checks\": [{\"name\": \"c\", \"file\": {\"path\": \"f\", \"size\": "
        "1}}], %s}",
        body);
    return put(file, text);
}

static void add(struct suite *suite, const char *path)
{
    struct err err = {0};
    cr_assert(suite_add(suite, path, &err), "%s", err.text);
}

static void read_run(const struct suite_case *suite_case, size_t run, struct plan *plan)
{
    const struct suite_place place = {.dir = "/w", .state = "/s", .kept = "/k", .port = 4711};
    struct err err = {0};
    cr_assert(suite_plan(suite_case, run, &place, plan, &err), "%s", err.text);
}

/* Takes "FOLDER/" out of a message. Caller frees. */
static char *without(const char *text, const char *prefix)
{
    char *rest = mem_string(text);
    const size_t size = strlen(prefix);
    for (char *at = strstr(rest, prefix); at; at = strstr(at, prefix))
        memmove(at, at + size, strlen(at + size) + 1);
    return rest;
}

static void expect_refused(const char *name)
{
    char *base OWN(own_mem) = mem_format("tests/bad-scenarios/%s", name);
    char *message_path OWN(own_mem) = mem_format("%s/message", base);
    char *prefix OWN(own_mem) = mem_format("%s/", base);
    char *message OWN(own_mem) = NULL;
    size_t size = 0;
    struct suite suite = {0};
    struct err err = {0};
    cr_assert(file_read(message_path, MESSAGE_MAX, &message, &size, &err), "%s", err.text);
    message[strcspn(message, "\n")] = '\0';
    cr_expect_not(suite_add(&suite, base, &err), "%s is taken", name);
    cr_expect_eq(err.kind, ERR_USAGE, "%s", name);
    char *text OWN(own_mem) = without(err.text, prefix);
    cr_expect_str_eq(text, message, "%s says\n%s\nand should say\n%s", name, text, message);
    suite_fini(&suite);
}

Test(suite, every_bad_scenario_is_refused_with_its_place_and_what_is_allowed)
{
    DIR *dir = opendir("tests/bad-scenarios");
    size_t count = 0;
    cr_assert_not_null(dir, "run the tests in the project's folder");
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        expect_refused(entry->d_name);
        count++;
    }
    closedir(dir);
    cr_expect_geq(count, 50u);
}

Test(suite, a_matrix_gives_a_case_for_each_combination_with_the_last_changing_fastest)
{
    struct suite suite = {0};
    char *path OWN(own_mem) =
        put_scenario("a.scenario.json", "\"worker\": {\"argv\": [\"true\", \"${x}-${y}\"]}, "
                                        "\"matrix\": {\"x\": [1, \"b\"], \"y\": {\"from\": 3, "
                                        "\"to\": 9, \"step\": 4}}");
    static const char *const names[] = {"s[x=1,y=3]", "s[x=1,y=7]", "s[x=b,y=3]", "s[x=b,y=7]"};
    static const char *const words[] = {"1-3", "1-7", "b-3", "b-7"};
    add(&suite, path);
    cr_assert_eq(suite.count, 4u);
    for (size_t i = 0; i < suite.count; i++) {
        struct plan plan;
        read_run(&suite.cases[i], 0, &plan);
        cr_expect_str_eq(suite.cases[i].name, names[i]);
        cr_expect_str_eq(plan.worker.command.argv[1], words[i]);
        plan_fini(&plan);
    }
    suite_fini(&suite);
}

Test(suite, rows_give_a_case_each)
{
    struct suite suite = {0};
    char *path OWN(own_mem) =
        put_scenario("a.scenario.json", "\"worker\": {\"argv\": [\"true\"]}, \"matrix\": [{\"x\": "
                                        "1, \"y\": \"a\"}, {\"x\": 2, \"y\": \"b\"}]");
    add(&suite, path);
    cr_assert_eq(suite.count, 2u);
    cr_expect_str_eq(suite.cases[0].name, "s[x=1,y=a]");
    cr_expect_str_eq(suite.cases[1].name, "s[x=2,y=b]");
    suite_fini(&suite);
}

Test(suite, each_gives_runs_inside_one_case_and_numbers_stay_numbers)
{
    struct suite suite = {0};
    char *path OWN(own_mem) = put_scenario(
        "a.scenario.json", "\"worker\": {\"argv\": [\"true\", \"${n}\"], \"exit\": \"${n}\"}, "
                           "\"each\": {\"n\": {\"from\": 0, \"to\": 98}}");
    struct plan plan;
    add(&suite, path);
    cr_assert_eq(suite.count, 1u);
    cr_expect_eq(suite.cases[0].runs, 99u);
    read_run(&suite.cases[0], 98, &plan);
    char *label OWN(own_mem) = suite_run_label(&suite.cases[0], 98);
    cr_expect_str_eq(label, "[n=98]");
    cr_expect_eq(plan.worker.end.exit, 98);
    cr_expect_str_eq(plan.worker.command.argv[1], "98");
    plan_fini(&plan);
    suite_fini(&suite);
}

Test(suite, what_is_always_known_is_filled_in)
{
    struct suite suite = {0};
    struct plan plan;
    char *path OWN(own_mem) = put_scenario(
        "a.scenario.json", "\"worker\": {\"argv\": [\"true\", \"${dir}\", "
                           "\"${state}:${port}\", \"$${n}\", \"${here}\", \"${kept}\"]}");
    add(&suite, path);
    read_run(&suite.cases[0], 0, &plan);
    const char *const *argv = plan.worker.command.argv;
    cr_expect_str_eq(argv[1], "/w");
    cr_expect_str_eq(argv[2], "/s:4711");
    cr_expect_str_eq(argv[3], "${n}");
    cr_expect_str_eq(argv[4], suite.sources[0]->folder);
    cr_expect_str_eq(argv[5], "/k");
    plan_fini(&plan);
    suite_fini(&suite);
}

Test(suite, a_program_with_a_slash_lies_beside_the_scenario)
{
    struct suite suite = {0};
    struct plan plan;
    char *path OWN(own_mem) =
        put_scenario("a.scenario.json", "\"worker\": {\"argv\": [\"bin/w\"]}, \"steps\": "
                                        "[{\"name\": \"r\", \"argv\": [\"w\"]}]");
    add(&suite, path);
    read_run(&suite.cases[0], 0, &plan);
    char *expected OWN(own_mem) = mem_format("%s/bin/w", suite.sources[0]->folder);
    cr_expect_str_eq(plan.worker.command.argv[0], expected);
    cr_expect_str_eq(plan.steps[0].command.argv[0], "w");
    plan_fini(&plan);
    suite_fini(&suite);
}

Test(suite, an_include_gives_what_the_scenario_does_not_say_itself)
{
    struct suite suite = {0};
    struct plan plan;
    free(put("common.json", "{\"worker\": {\"argv\": [\"false\"], \"stdin\": \"in\"}, \"name\": "
                            "\"common\", \"workspace\": {\"setup\": \"true\"}}"));
    char *path OWN(own_mem) =
        put_scenario("a.scenario.json", "\"include\": [\"common.json\"], \"worker\": {\"argv\": "
                                        "[\"true\", \"x\"]}");
    add(&suite, path);
    read_run(&suite.cases[0], 0, &plan);
    cr_expect_str_eq(suite.cases[0].name, "s");
    cr_expect_str_eq(plan.worker.command.argv[0], "true");
    cr_expect_str_eq(plan.worker.command.input, "in");
    cr_expect_str_eq(plan.setup, "true");
    plan_fini(&plan);
    suite_fini(&suite);
}

Test(suite, a_folder_gives_its_scenarios_sorted_and_those_below)
{
    struct suite suite = {0};
    char *below OWN(own_mem) = mem_format("%s/b", folder);
    cr_assert_eq(mkdir(below, 0755), 0);
    static const char *const names[] = {"z", "b/a", "m", "c", "b/y", "a", "x"};
    static const char *const sorted[] = {"a", "b/a", "b/y", "c", "m", "x", "z"};
    for (size_t i = 0; i < 7; i++) {
        char *file OWN(own_mem) = mem_format("%s.scenario.json", names[i]);
        char *text OWN(own_mem) =
            mem_format("{\"name\": \"%s\", \"steps\": [{\"name\": \"a\", \"argv\": [\"true\"], "
                       "\"exit\": 0}]}",
                       names[i]);
        free(put(file, text));
    }
    free(put("other.json", "no scenario"));
    add(&suite, folder);
    cr_assert_eq(suite.count, 7u);
    for (size_t i = 0; i < 7; i++)
        cr_expect_str_eq(suite.cases[i].name, sorted[i]);
    suite_fini(&suite);
}

Test(suite, two_scenarios_with_one_name_are_refused)
{
    struct suite suite = {0};
    struct err err = {0};
    char *a OWN(own_mem) = put_scenario("a.scenario.json", "\"worker\": {\"argv\": [\"true\"]}");
    char *b OWN(own_mem) = put_scenario("b.scenario.json", "\"worker\": {\"argv\": [\"true\"]}");
    add(&suite, a);
    cr_expect_not(suite_add(&suite, b, &err));
    cr_expect_not_null(strstr(err.text, "b.scenario.json:1:2: name: \"s\" is the name of a case"),
                       "%s", err.text);
    suite_fini(&suite);
}

Test(suite, only_and_shard_keep_their_cases_and_no_others)
{
    struct suite suite = {0};
    struct err err = {0};
    char *path OWN(own_mem) =
        put_scenario("a.scenario.json", "\"worker\": {\"argv\": [\"true\"]}, \"matrix\": {\"n\": "
                                        "{\"from\": 1, \"to\": 12}}");
    add(&suite, path);
    cr_expect(suite_only(&suite, "s[[]n=1*", &err));
    cr_assert_eq(suite.count, 4u); /* 1, 10, 11, 12 */
    suite_shard(&suite, 1, 2);
    cr_assert_eq(suite.count, 2u);
    cr_expect_str_eq(suite.cases[0].name, "s[n=10]");
    cr_expect_str_eq(suite.cases[1].name, "s[n=12]");
    cr_expect(suite_only(&suite, "s[n=12]", &err), "a name with brackets is itself");
    cr_assert_eq(suite.count, 1u);
    cr_expect_not(suite_only(&suite, "t*", &err));
    suite_fini(&suite);
}
