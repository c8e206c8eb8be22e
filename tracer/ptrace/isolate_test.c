#include "isolate.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs a body in a child, where it may change namespaces, and gives what it exited with. */
static int in_child(int (*body)(const char *folder))
{
    char folder[] = "/tmp/isolate-test-XXXXXX";
    cr_assert(mkdtemp(folder));
    const pid_t child = fork();
    cr_assert(child >= 0);
    if (child == 0)
        _exit(body(folder));
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert_eq(rmdir(folder), 0, "something was left in the folder");
    cr_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int step(bool is_right, int number)
{
    return is_right ? 0 : number;
}

static int mounts_memory(const char *folder)
{
    struct err err = {0};
    char path[200];
    snprintf(path, sizeof path, "%s/file", folder);
    if (!isolate_enter(ISOLATE_MOUNT, &err) || !isolate_tmpfs(folder, &err))
        return 1;
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    struct stat status;
    return step(fd >= 0 && fstat(fd, &status) == 0 && status.st_uid == getuid(), 2);
}

Test(isolate, a_memory_file_system_is_writable_inside_and_not_seen_outside, .timeout = 10)
{
    cr_assert_eq(in_child(mounts_memory), 0);
}

static int binds_by_descriptor(const char *folder)
{
    struct err err = {0};
    const int fd = open("/usr/bin", O_PATH | O_DIRECTORY);
    char path[200];
    snprintf(path, sizeof path, "%s/env", folder);
    if (!isolate_enter(ISOLATE_MOUNT, &err) || !isolate_bind(fd, folder, &err))
        return 1;
    return step(access(path, X_OK) == 0, 2);
}

Test(isolate, a_directory_opened_before_can_be_mounted_after, .timeout = 10)
{
    cr_assert_eq(in_child(binds_by_descriptor), 0);
}

static int binds_what_is_gone(const char *folder)
{
    struct err err = {0};
    char path[] = "/tmp/isolate-gone-XXXXXX";
    if (!mkdtemp(path))
        return 1;
    const int fd = open(path, O_PATH | O_DIRECTORY);
    rmdir(path);
    if (!isolate_enter(ISOLATE_MOUNT, &err))
        return 2;
    return step(!isolate_bind(fd, folder, &err) && err.kind == ERR_SYSTEM, 3);
}

Test(isolate, a_directory_that_is_gone_is_an_error, .timeout = 10)
{
    cr_assert_eq(in_child(binds_what_is_gone), 0);
}

static int talks_to_itself(const char *folder)
{
    (void)folder;
    struct err err = {0};
    if (!isolate_enter(ISOLATE_NET, &err) || !isolate_loopback(&err))
        return 1;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(80)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 1) < 0)
        return 2;
    const int caller = socket(AF_INET, SOCK_STREAM, 0);
    return step(connect(caller, (struct sockaddr *)&address, sizeof address) == 0, 3);
}

Test(isolate, a_new_network_has_a_loopback_where_port_80_is_free, .timeout = 10)
{
    cr_assert_eq(in_child(talks_to_itself), 0);
}

static int sees_itself_as_pid_1(const char *folder)
{
    (void)folder;
    struct err err = {0};
    if (!isolate_enter(ISOLATE_MOUNT | ISOLATE_PID | ISOLATE_IPC, &err))
        return 1;
    const pid_t child = fork();
    if (child == 0) {
        char link[16] = "";
        if (!isolate_proc(&err) || readlink("/proc/self", link, sizeof link - 1) < 0)
            _exit(2);
        _exit(step(getpid() == 1 && strcmp(link, "1") == 0, 3));
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 4;
}

Test(isolate, the_first_child_is_pid_1_and_proc_says_so, .timeout = 10)
{
    cr_assert_eq(in_child(sees_itself_as_pid_1), 0);
}

static int keeps_the_user(const char *folder)
{
    (void)folder;
    struct err err = {0};
    if (getuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
        return 1;
    prctl(PR_SET_DUMPABLE, 1); /* setuid took it away; a program that was started has it */
    const uid_t uid = getuid();
    const gid_t gid = getgid();
    if (!isolate_enter(ISOLATE_MOUNT | ISOLATE_NET, &err) || !isolate_loopback(&err))
        return 2;
    return step(getuid() == uid && getgid() == gid, 3);
}

Test(isolate, an_ordinary_user_stays_himself, .timeout = 10)
{
    cr_assert_eq(in_child(keeps_the_user), 0);
}

Test(isolate, the_probe_finds_here_what_these_tests_need, .timeout = 20)
{
    struct isolate_abilities found;
    isolate_probe(&found);
    cr_assert(found.has_mount && found.has_net && found.has_pid, "%s", found.why);
    cr_assert(found.has_ptrace && found.has_seccomp, "%s", found.why);
    cr_assert_str_eq(found.why, "");
}
