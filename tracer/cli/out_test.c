#include "out.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/folder.h"
#include "tracer/trace/store.h"

/* A folder of its own for each test, which is also its current directory. */
static char *home;

static void set_up(void)
{
    struct err err = {0};
    cr_assert(folder_temporary("/tmp", &home, &err), "%s", err.text);
    cr_assert_eq(chdir(home), 0);
}

static void tear_down(void)
{
    struct err err = {0};
    cr_assert_eq(chdir("/"), 0);
    cr_assert(folder_remove(AT_FDCWD, home, &err), "%s", err.text);
    free(home);
}

TestSuite(out, .init = set_up, .fini = tear_down, .timeout = 20);

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("mine", file);
    fclose(file);
}

static void make_run(const char *path)
{
    struct err err = {0};
    struct store *store = NULL;
    mkdir(path, 0777);
    const int fd = open(path, O_RDONLY | O_DIRECTORY);
    cr_assert(store_create(fd, &store, &err), "%s", err.text);
    store_close(store);
    close(fd);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static bool try_open(const char *path, struct out_options options, struct out *out, struct err *err)
{
    *out = (struct out){.fd = OUT_CLOSED};
    *err = (struct err){0};
    return out_open(path, &options, out, err);
}

Test(out, a_new_folder_that_stays_empty_is_taken_away_again)
{
    struct out out;
    struct err err;
    cr_assert(try_open("new", (struct out_options){0}, &out, &err), "%s", err.text);
    cr_expect(exists("new"));
    out_close(&out);
    cr_expect_not(exists("new"));
}

Test(out, a_new_folder_that_was_written_to_stays)
{
    struct out out;
    struct err err;
    cr_assert(try_open("new", (struct out_options){0}, &out, &err));
    make_file("new/run.db");
    out_close(&out);
    cr_expect(exists("new/run.db"));
}

Test(out, a_folder_without_a_run_is_refused_and_left_as_it_is)
{
    struct out out;
    struct err err;
    mkdir("theirs", 0777);
    make_file("theirs/summary.json");
    cr_assert_not(try_open("theirs", (struct out_options){0}, &out, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
    cr_expect_str_eq(err.text, "--out theirs: exists and holds no run of brink; choose another "
                               "folder, or --force to write into it");
    cr_expect(exists("theirs/summary.json"));
}

Test(out, a_database_of_another_program_is_no_marker)
{
    struct out out;
    struct err err;
    mkdir("theirs", 0777);
    make_file("theirs/run.db");
    cr_expect_not(try_open("theirs", (struct out_options){0}, &out, &err));
}

Test(out, only_what_brink_writes_is_replaced)
{
    struct out out;
    struct err err;
    make_run("run");
    make_file("run/summary.json");
    make_file("run/notes.txt");
    mkdir("run/states", 0777);
    make_file("run/states/x");
    cr_assert(try_open("run", (struct out_options){0}, &out, &err), "%s", err.text);
    cr_assert(out_clear(&out, &err), "%s", err.text);
    cr_expect_not(exists("run/run.db"));
    cr_expect_not(exists("run/summary.json"));
    cr_expect_not(exists("run/states"));
    cr_expect(exists("run/notes.txt"));
    out_close(&out);
    cr_expect(exists("run/notes.txt"));
}

Test(out, force_uses_a_strange_folder)
{
    struct out out;
    struct err err;
    mkdir("theirs", 0777);
    make_file("theirs/thesis.tex");
    cr_assert(try_open("theirs", (struct out_options){.is_forced = true}, &out, &err));
    cr_assert(out_clear(&out, &err));
    cr_expect(exists("theirs/thesis.tex"));
    out_close(&out);
    cr_expect(exists("theirs"));
}

Test(out, resume_needs_a_run_and_makes_nothing)
{
    struct out out;
    struct err err;
    cr_assert_not(try_open("none", (struct out_options){.want_run = true}, &out, &err));
    cr_expect_str_eq(err.text,
                     "--resume: there is no folder none; leave --resume out to begin a run");
    cr_expect_not(exists("none"));
    make_run("run");
    cr_assert(try_open("run", (struct out_options){.want_run = true}, &out, &err), "%s", err.text);
    out_close(&out);
}

Test(out, two_brinks_cannot_share_a_folder)
{
    struct out first;
    struct out second;
    struct err err;
    make_run("run");
    cr_assert(try_open("run", (struct out_options){0}, &first, &err));
    cr_expect_not(try_open("run", (struct out_options){0}, &second, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
    out_close(&first);
    cr_assert(try_open("run", (struct out_options){0}, &second, &err));
    out_close(&second);
}

Test(out, a_file_is_no_folder)
{
    struct out out;
    struct err err;
    make_file("file");
    cr_assert_not(try_open("file", (struct out_options){.is_forced = true}, &out, &err));
    cr_expect_str_eq(err.text, "--out file: is no folder; choose another name");
}

Test(out, a_folder_inside_the_workspace_is_told_by_an_exact_pattern)
{
    struct out out;
    struct err err = {0};
    char *relative = NULL;
    mkdir("a", 0777);
    cr_assert(try_open("a/o[u]t*", (struct out_options){0}, &out, &err));
    cr_assert(out_inside(&out, home, &relative, &err));
    cr_assert_not_null(relative);
    cr_expect_eq(fnmatch(relative, "a/o[u]t*", FNM_PATHNAME), 0);
    cr_expect_neq(fnmatch(relative, "a/out", FNM_PATHNAME), 0);
    free(relative);
    relative = NULL;
    cr_assert(out_inside(&out, "/elsewhere", &relative, &err));
    cr_expect_null(relative);
    cr_expect_not(out_inside(&out, out.path, &relative, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
    out_close(&out);
}
