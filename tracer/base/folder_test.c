#include "folder.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "file.h"
#include "own.h"

/* Two empty folders a and b in a temporary one, which is the current directory. */
static char base[] = "/tmp/folder-test-XXXXXX";

static void make(void)
{
    cr_assert(mkdtemp(base));
    cr_assert_eq(chdir(base), 0);
    cr_assert_eq(mkdir("a", 0750), 0);
    cr_assert_eq(mkdir("b", 0700), 0);
}

static void unmake(void)
{
    struct err err = {0};
    cr_assert_eq(chdir("/tmp"), 0);
    const int fd OWN(own_fd) = open("/tmp", O_RDONLY | O_DIRECTORY);
    cr_assert(folder_remove(fd, base + strlen("/tmp/"), &err), "%s", err.text);
    cr_assert_eq(access(base, F_OK), -1, "%s is still there", base);
}

TestSuite(folder, .init = make, .fini = unmake, .timeout = 20);

static void put(const char *path, const char *text)
{
    const int fd OWN(own_fd) = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0640);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text), "%s", path);
}

static void copy(void)
{
    struct err err = {0};
    const int from OWN(own_fd) = open("a", O_RDONLY | O_DIRECTORY);
    const int to OWN(own_fd) = open("b", O_RDONLY | O_DIRECTORY);
    cr_assert(folder_copy(from, to, &err), "%s", err.text);
}

static struct stat look(const char *path)
{
    struct stat status;
    cr_assert_eq(lstat(path, &status), 0, "%s: %s", path, strerror(errno));
    return status;
}

Test(folder, a_file_keeps_bytes_mode_and_times_in_its_copy)
{
    put("a/new\nline", "hello");
    cr_assert_eq(chmod("a/new\nline", 0604), 0);
    const struct timespec times[2] = {{1, 2}, {3, 4}};
    cr_assert_eq(utimensat(AT_FDCWD, "a/new\nline", times, 0), 0);
    copy();
    struct err err = {0};
    char *text OWN(own_mem) = NULL;
    size_t size = 0;
    cr_assert(file_read("b/new\nline", 100, &text, &size, &err), "%s", err.text);
    cr_assert_str_eq(text, "hello");
    const struct stat status = look("b/new\nline");
    cr_assert_eq(status.st_mode & 07777, 0604);
    cr_assert_eq(status.st_mtim.tv_sec, 3);
    cr_assert_eq(status.st_mtim.tv_nsec, 4);
    cr_assert_eq(look("b").st_mode & 07777, 0750, "the folder's own mode is not copied");
}

Test(folder, two_names_of_one_file_stay_one_file)
{
    cr_assert_eq(mkdir("a/x", 0700), 0);
    put("a/x/one", "1");
    cr_assert_eq(link("a/x/one", "a/two"), 0);
    copy();
    cr_assert_eq(look("b/x/one").st_ino, look("b/two").st_ino);
    cr_assert_eq(look("b/two").st_nlink, 2);
}

Test(folder, a_hole_stays_a_hole)
{
    const int fd OWN(own_fd) = open("a/sparse", O_CREAT | O_RDWR, 0600);
    cr_assert_eq(ftruncate(fd, 100 << 20), 0);
    cr_assert_eq(pwrite(fd, "x", 1, 50 << 20), 1);
    copy();
    const struct stat status = look("b/sparse");
    cr_assert_eq(status.st_size, 100 << 20);
    cr_assert_lt(status.st_blocks, 2048);
    char byte = 0;
    const int got OWN(own_fd) = open("b/sparse", O_RDONLY);
    cr_assert_eq(pread(got, &byte, 1, 50 << 20), 1);
    cr_assert_eq(byte, 'x');
}

Test(folder, links_fifos_and_sockets_keep_their_type)
{
    cr_assert_eq(symlink("nowhere", "a/link"), 0);
    cr_assert_eq(mkfifo("a/fifo", 0600), 0);
    cr_assert_eq(mknod("a/socket", S_IFSOCK | 0600, 0), 0);
    copy();
    char target[20] = "";
    cr_assert_eq(readlink("b/link", target, sizeof target), 7);
    cr_assert_str_eq(target, "nowhere");
    cr_assert(S_ISFIFO(look("b/fifo").st_mode));
    cr_assert(S_ISSOCK(look("b/socket").st_mode));
}

Test(folder, a_locked_folder_can_be_removed)
{
    cr_assert_eq(mkdir("a/x", 0700), 0);
    cr_assert_eq(mkdir("a/x/y", 0700), 0);
    put("a/x/y/file", "1");
    cr_assert_eq(chmod("a/x/y", 0), 0);
    cr_assert_eq(chmod("a/x", 0), 0);
    if (getuid() == 0) { /* permission bits are in nobody's way as root */
        cr_assert_eq(chmod(base, 0777), 0);
        cr_assert_eq(chown("a/x/y", 65534, 65534), 0);
        cr_assert_eq(chown("a/x", 65534, 65534), 0);
        cr_assert_eq(chown("a", 65534, 65534), 0);
        cr_assert_eq(seteuid(65534), 0);
    }
    struct err err = {0};
    const int fd OWN(own_fd) = open("a", O_RDONLY | O_DIRECTORY);
    const bool is_done = folder_remove(fd, "x", &err);
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
    cr_assert(is_done, "%s", err.text);
    cr_assert_eq(access("a/x", F_OK), -1);
}

Test(folder, removing_follows_no_link)
{
    put("b/kept", "1");
    cr_assert_eq(mkdir("a/x", 0700), 0);
    cr_assert_eq(symlink("../../b", "a/x/link"), 0);
    struct err err = {0};
    const int fd OWN(own_fd) = open("a", O_RDONLY | O_DIRECTORY);
    cr_assert(folder_remove(fd, "x", &err), "%s", err.text);
    cr_assert_eq(access("b/kept", F_OK), 0);
}

Test(folder, removing_does_not_enter_a_mount)
{
    cr_assert_eq(mkdir("a/x", 0700), 0);
    put("b/kept", "1");
    if (unshare(CLONE_NEWNS) < 0)
        return; /* only root may mount */
    cr_assert_eq(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), 0);
    cr_assert_eq(mount("b", "a/x", NULL, MS_BIND, NULL), 0);
    struct err err = {0};
    const int fd OWN(own_fd) = open(".", O_RDONLY | O_DIRECTORY);
    cr_assert_not(folder_remove(fd, "a", &err));
    cr_assert_eq(umount("a/x"), 0);
    cr_assert_eq(access("b/kept", F_OK), 0);
}

Test(folder, a_missing_folder_is_removed_already)
{
    struct err err = {0};
    const int fd OWN(own_fd) = open("a", O_RDONLY | O_DIRECTORY);
    cr_assert(folder_remove(fd, "none", &err));
}

Test(folder, temporary_folders_have_names_of_their_own)
{
    struct err err = {0};
    char *one OWN(own_mem) = NULL;
    char *two OWN(own_mem) = NULL;
    cr_assert(folder_temporary(base, &one, &err));
    cr_assert(folder_temporary(base, &two, &err));
    cr_assert_str_neq(one, two);
    cr_assert_eq(look(one).st_mode & 07777, 0700);
}

Test(folder, extended_attributes_are_copied)
{
    put("a/file", "1");
    if (setxattr("a/file", "user.colour", "red", 3, 0) < 0)
        return; /* the file system of /tmp has none */
    copy();
    char value[8] = "";
    cr_assert_eq(getxattr("b/file", "user.colour", value, sizeof value), 3);
    cr_assert_str_eq(value, "red");
}
