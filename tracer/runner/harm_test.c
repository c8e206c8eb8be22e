#include "harm.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/file.h"
#include "tracer/base/folder.h"
#include "tracer/base/own.h"

static char base[] = "/tmp/harm-test-XXXXXX";

static void put(const char *path, const char *text)
{
    const int fd OWN(own_fd) = open(path, O_CREAT | O_WRONLY, 0444);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void make(void)
{
    cr_assert(mkdtemp(base));
    cr_assert_eq(chdir(base), 0);
    cr_assert_eq(mkdir("d", 0755), 0);
    put("d/file", "abc");
    put("empty", "");
    cr_assert_eq(symlink("/proc/self/status", "link"), 0);
}

static void unmake(void)
{
    struct err err = {0};
    const int fd OWN(own_fd) = open("/tmp", O_RDONLY | O_DIRECTORY);
    cr_assert(folder_remove(fd, base + strlen("/tmp/"), &err), "%s", err.text);
}

TestSuite(harm, .init = make, .fini = unmake, .timeout = 20);

static void harm(enum harm how)
{
    struct err err = {0};
    const int fd OWN(own_fd) = open(".", O_RDONLY | O_DIRECTORY);
    cr_assert(harm_do(fd, how, &err), "%s", err.text);
}

static void expect(const char *path, const char *expected)
{
    struct err err = {0};
    char *text OWN(own_mem) = NULL;
    size_t size = 0;
    cr_assert(file_read(path, 1000, &text, &size, &err), "%s", err.text);
    cr_assert_str_eq(text, expected);
}

Test(harm, gone_leaves_nothing)
{
    harm(HARM_GONE);
    cr_assert_eq(access("d", F_OK), -1);
    cr_assert_eq(access("empty", F_OK), -1);
}

Test(harm, emptied_keeps_the_names)
{
    harm(HARM_EMPTIED);
    expect("d/file", "");
    expect("empty", "");
}

Test(harm, flipped_changes_the_middle_byte)
{
    harm(HARM_FLIPPED);
    expect("d/file", "a\x9d"
                     "c");
    expect("empty", "");
}
