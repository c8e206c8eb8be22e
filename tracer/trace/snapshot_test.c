#include "snapshot.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tracer/base/folder.h"

static char path[] = "/tmp/brink-test-XXXXXX";
static int fd = -1;
static struct trace trace;
static struct trace_writer writer;
static struct snapshot_items items;
static struct tree *tree;

static void put(const char *name, const char *bytes, mode_t mode)
{
    const int file = openat(fd, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
    cr_assert_eq(fchmod(file, mode), 0);
    close(file);
}

static void start(void)
{
    cr_assert(mkdtemp(path));
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    put("a", "hello", 0640);
    put("c", "hello", 0640);
    put("hidden", "secret", 0);
    put("line\nbreak", "x", 0600);
    put("cache.tmp", "x", 0600);
    cr_assert_eq(linkat(fd, "a", fd, "b", 0), 0);
    cr_assert_eq(mkdirat(fd, "d", 02750), 0);
    cr_assert_eq(fchmodat(fd, "d", 02750, 0), 0);
    put("d/e", "inside", 04755);
    cr_assert_eq(symlinkat("../a", fd, "d/link"), 0);
    cr_assert_eq(mkfifoat(fd, "fifo", 0600), 0);
    cr_assert_eq(mknodat(fd, "socket", S_IFSOCK | 0600, 0), 0);
    const int sparse = openat(fd, "sparse", O_CREAT | O_RDWR, 0600);
    cr_assert_eq(pwrite(sparse, "x", 1, 1 << 20), 1);
    cr_assert_eq(ftruncate(sparse, INT64_C(1) << 40), 0);
    close(sparse);
    trace_init(&trace);
    trace_writer_init(&writer, &trace, memfd_create("payload", MFD_CLOEXEC));
}

static void stop(void)
{
    struct err err = {0};
    tree_free(tree);
    free(items.items);
    trace_writer_fini(&writer);
    trace_fini(&trace);
    close(fd);
    cr_assert(folder_remove(AT_FDCWD, path, &err), "%s", err.text);
}

TestSuite(snapshot, .init = start, .fini = stop, .timeout = 30);

static const char *const tmp_files[] = {"*.tmp", NULL};

static void replay(void)
{
    struct err err = {0};
    cr_assert(trace_writer_finish(&writer, &err), "%s", err.text);
    tree = tree_new(&trace);
    for (uint32_t i = 0; i < trace.count; i++)
        cr_assert(tree_apply(tree, &trace.ops[i], &err), "%s", err.text);
}

static void read_in(void)
{
    struct err err = {0};
    const struct snapshot_options options = {.dir = NODE_ROOT, .exclude = tmp_files};
    cr_assert(snapshot_read(&writer, fd, &options, &items, &err), "%s", err.text);
    replay();
}

static void expect_difference(const char *wanted)
{
    char *difference = NULL;
    struct err err = {0};
    cr_assert(snapshot_compare(tree, fd, tmp_files, &difference, &err), "%s", err.text);
    if (wanted)
        cr_expect_str_eq(difference ? difference : "(equal)", wanted);
    else
        cr_expect_null(difference, "%s", difference);
    free(difference);
}

Test(snapshot, what_was_read_in_is_equal_to_what_is_there)
{
    read_in();
    expect_difference(NULL);
    cr_expect_eq(tree_find(tree, "a"), tree_find(tree, "b"));
    cr_expect_eq(tree_find(tree, "cache.tmp"), NODE_NONE);
    cr_expect_eq(items.count, 11, "%zu", items.count);
    struct stat stat;
    cr_assert_eq(fstatat(fd, "hidden", &stat, 0), 0);
    cr_expect_eq(stat.st_mode & 07777, 0, "its bits are put back");
}

Test(snapshot, times_of_files_and_folders_are_kept)
{
    const struct timespec times[] = {{.tv_sec = 5}, {.tv_sec = 7, .tv_nsec = 8}};
    cr_assert_eq(utimensat(fd, "a", times, 0), 0);
    cr_assert_eq(utimensat(fd, "d", times, 0), 0);
    read_in();
    cr_expect_eq(tree_changed_ns(tree, tree_find(tree, "a")), 7000000008);
    cr_expect_eq(tree_changed_ns(tree, tree_find(tree, "d")), 7000000008);
}

static void overwrite(void)
{
    const int file = openat(fd, "a", O_WRONLY);
    cr_assert_eq(pwrite(file, "j", 1, 0), 1);
    close(file);
}

static void write_far_out(void)
{
    const int file = openat(fd, "sparse", O_WRONLY);
    cr_assert_eq(pwrite(file, "y", 1, INT64_C(1) << 39), 1);
    close(file);
}

static void drop_far_out(void)
{
    const int file = openat(fd, "sparse", O_WRONLY);
    cr_assert_eq(ftruncate(file, 0), 0);
    cr_assert_eq(ftruncate(file, INT64_C(1) << 40), 0);
    close(file);
}

static void grow(void)
{
    put("a", "hello!", 0640);
}

static void change_mode(void)
{
    fchmodat(fd, "d/e", 0755, 0);
}

static void remove_one(void)
{
    unlinkat(fd, "d/e", 0);
}

static void add_one(void)
{
    put("d/new\n", "", 0600);
}

static void break_link(void)
{
    unlinkat(fd, "b", 0);
    put("b", "hello", 0640);
}

static void join_links(void)
{
    unlinkat(fd, "c", 0);
    linkat(fd, "a", fd, "c", 0);
}

static void redirect(void)
{
    unlinkat(fd, "d/link", 0);
    symlinkat("../b", fd, "d/link");
}

static void replace_type(void)
{
    unlinkat(fd, "fifo", 0);
    mkdirat(fd, "fifo", 0700);
}

static void add_attribute(void)
{
    char file[64];
    snprintf(file, sizeof file, "%s/a", path);
    setxattr(file, "user.x", "1", 1, 0);
}

Test(snapshot, each_difference_is_found_and_named)
{
    static const struct {
        void (*vandalise)(void);
        const char *difference;
    } cases[] = {
        {overwrite, "a: byte 0 is 0x6a on disk, 0x68 by the trace"},
        {grow, "a: size 6 on disk, 5 by the trace"},
        {write_far_out, "sparse: byte 549755813888 is 0x79 on disk, 0x00 by the trace"},
        {drop_far_out, "sparse: byte 1048576 is 0x00 on disk, 0x78 by the trace"},
        {change_mode, "d/e: mode 0755 on disk, 4755 by the trace"},
        {remove_one, "d/e: missing on disk, a file by the trace"},
        {add_one, "d/new\\n: there on disk, not by the trace"},
        {break_link, "b: a hard link by the trace, not on disk"},
        {join_links, "c: the same file as a on disk, not by the trace"},
        {redirect, "d/link: leads to ../b on disk, to ../a by the trace"},
        {replace_type, "fifo: a folder on disk, a FIFO by the trace"},
        {add_attribute, "a: attribute user.x on disk, not by the trace"},
    };
    read_in();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cases[i].vandalise();
        expect_difference(cases[i].difference);
        stop();
        tree = NULL;
        items = (struct snapshot_items){0};
        memcpy(path + sizeof path - 7, "XXXXXX", 6);
        start();
        read_in();
    }
}

Test(snapshot, a_folder_taken_in_is_one_group_of_ops)
{
    struct err err = {0};
    uint32_t node = 0;
    const struct snapshot_options options = {.dir = NODE_ROOT, .prefix = "", .more = true};
    cr_assert(snapshot_read_entry(&writer, fd, "d", &options, NULL, &node, &err), "%s", err.text);
    replay();
    for (uint32_t i = 0; i < trace.count; i++)
        cr_expect_eq((trace.ops[i].flags & OP_MORE) != 0, i + 1 < trace.count);
    cr_expect_eq(tree_find(tree, "d"), node);
    cr_expect_neq(tree_find(tree, "d/link"), NODE_NONE);
    cr_expect_str_eq(trace_string(&trace, trace.ops[1].path), "d/e");
}

Test(snapshot, patterns_match_the_path_and_the_last_name)
{
    static const char *const patterns[] = {"*.log", "cache/*", NULL};
    cr_expect(snapshot_excluded(patterns, "a/b/x.log"));
    cr_expect(snapshot_excluded(patterns, "cache/x"));
    cr_expect_not(snapshot_excluded(patterns, "a/cache/x"));
    cr_expect_not(snapshot_excluded(NULL, "a"));
}
