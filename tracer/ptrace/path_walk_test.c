#include "path_walk.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/attr.h"
#include "tracer/base/folder.h"
#include "tracer/base/own.h"

/* The test's own process is the one whose view is taken. */
static char *folder;

static void enter(void)
{
    struct err err = {0};
    cr_assert(folder_temporary("/tmp", &folder, &err), "%s", err.text);
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(mkdir("d", 0700), 0);
    cr_assert_eq(mkdir("d/e", 0700), 0);
    cr_assert_eq(symlink("d", "to_d"), 0);
    cr_assert_eq(symlink("../../to_d/e", "d/e/around"), 0);
    cr_assert_eq(symlink("loop", "loop"), 0);
    cr_assert_eq(symlink("d/new", "dangling"), 0);
    close(open("d/f", O_CREAT | O_WRONLY, 0600));
}

static void leave(void)
{
    struct err err = {0};
    cr_assert_eq(chdir("/"), 0);
    cr_expect(folder_remove(AT_FDCWD, folder, &err), "%s", err.text);
    free(folder);
}

static struct walk_who me(void)
{
    return (struct walk_who){.pid = getpid(), .tid = gettid(), .dirfd = AT_FDCWD};
}

static bool is_file(int fd, const char *path)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino &&
           a.st_dev == b.st_dev;
}

static const struct {
    const char *path, *dir, *name;
} PLACES[] = {
    {"d/f", "d", "f"},
    {"d/new", "d", "new"},
    {"to_d/f", "d", "f"},
    {"to_d/e/around/x", "d/e", "x"},
    {"d//e/../f", "d", "f"},
    {"d/e/", "d", "e"},
    {"d/e/.", "d/e", ""},
    {"..", "..", ""},
    {"/tmp", "/", "tmp"},
    {"/", "/", ""},
    {"/proc/self/cwd/d/f", "d", "f"},
};

Test(path_walk, a_path_leads_to_the_directory_that_the_kernel_finds, .init = enter, .fini = leave)
{
    const struct walk_who who = me();
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        struct walk_place place;
        cr_assert(walk_parent(&who, PLACES[i].path, &place), "%s", PLACES[i].path);
        cr_expect_str_eq(place.name, PLACES[i].name, "%s: %s", PLACES[i].path, place.name);
        cr_expect(is_file(place.dir_fd, PLACES[i].dir), "%s", PLACES[i].path);
        walk_place_fini(&place);
    }
}

Test(path_walk, a_link_at_the_end_is_followed_only_when_asked_for, .init = enter, .fini = leave)
{
    const struct walk_who who = me();
    struct walk_place place;
    cr_assert(walk_parent(&who, "dangling", &place));
    cr_expect_str_eq(place.name, "dangling");
    walk_place_fini(&place);
    cr_assert(walk_parent_followed(&who, "dangling", &place));
    cr_expect_str_eq(place.name, "new");
    cr_expect(is_file(place.dir_fd, "d"));
    walk_place_fini(&place);
}

Test(path_walk, links_that_lead_nowhere_fail_as_in_the_kernel, .init = enter, .fini = leave)
{
    const struct walk_who who = me();
    struct walk_place place;
    cr_expect_not(walk_parent(&who, "loop/x", &place));
    cr_expect_eq(errno, ELOOP);
    cr_expect_not(walk_parent_followed(&who, "loop", &place));
    cr_expect_eq(errno, ELOOP);
    cr_expect_not(walk_parent(&who, "nothing/x", &place));
    cr_expect_eq(errno, ENOENT);
    cr_expect_eq(walk_open(&who, "nothing", true), -1);
}

Test(path_walk, a_link_of_proc_leads_to_what_is_open, .init = enter, .fini = leave)
{
    const struct walk_who who = me();
    char path[40];
    const int fd = open("d/f", O_RDONLY | O_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    unlink("d/f");
    int found OWN(own_fd) = walk_open(&who, path, true);
    struct stat a, b;
    cr_assert_eq(fstat(found, &a), 0);
    cr_assert_eq(fstat(fd, &b), 0);
    cr_expect_eq(a.st_ino, b.st_ino);
    close(fd);
}
