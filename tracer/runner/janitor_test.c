#include "janitor.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static char base[] = "/tmp/janitor-test-XXXXXX";

static void make(void)
{
    cr_assert(mkdtemp(base));
    cr_assert_eq(chdir(base), 0);
    cr_assert_eq(mkdir("ws", 0755), 0);
    cr_assert_eq(mkdir("ws/original", 0755), 0);
}

static void unmake(void)
{
    struct err err = {0};
    const int fd OWN(own_fd) = open("/tmp", O_RDONLY | O_DIRECTORY);
    cr_assert(folder_remove(fd, base + strlen("/tmp/"), &err), "%s", err.text);
}

TestSuite(janitor, .init = make, .fini = unmake, .timeout = 30);

static struct janitor *start(void)
{
    struct err err = {0};
    struct janitor *janitor = NULL;
    cr_assert(janitor_start(&janitor, &err), "%s", err.text);
    return janitor;
}

static bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

Test(janitor, what_is_entrusted_is_gone_after_its_end)
{
    struct err err = {0};
    struct janitor *janitor = start();
    char *folder OWN(own_mem) = NULL;
    cr_assert(janitor_folder(janitor, base, &folder, &err), "%s", err.text);
    char *below OWN(own_mem) = mem_format("%s/below", folder);
    cr_assert_eq(mkdir(below, 0), 0);
    janitor_end(janitor);
    cr_assert_not(is_there(folder));
    cr_assert(is_there("ws/original"));
}

Test(janitor, what_is_forgotten_stays)
{
    struct err err = {0};
    struct janitor *janitor = start();
    char *path OWN(own_mem) = mem_format("%s/ws", base);
    cr_assert(janitor_watch(janitor, path, &err), "%s", err.text);
    janitor_forget(janitor, path);
    janitor_end(janitor);
    cr_assert(is_there("ws/original"));
}

Test(janitor, a_removed_folder_is_no_longer_its_concern)
{
    struct err err = {0};
    struct janitor *janitor = start();
    char *folder OWN(own_mem) = NULL;
    cr_assert(janitor_folder(janitor, base, &folder, &err));
    cr_assert(janitor_remove(janitor, folder, &err), "%s", err.text);
    cr_assert_not(is_there(folder));
    cr_assert_eq(mkdir(folder, 0700), 0);
    janitor_end(janitor);
    cr_assert(is_there(folder), "it removed a folder that it had been told to forget");
}

/* Moves ws aside as a job at the workspace's own path does. */
static void move_aside(struct janitor *janitor)
{
    struct err err = {0};
    char *holder OWN(own_mem) = NULL;
    cr_assert(janitor_folder(janitor, base, &holder, &err));
    char *aside OWN(own_mem) = mem_format("%s/aside", holder);
    char *path OWN(own_mem) = mem_format("%s/ws", base);
    cr_assert(janitor_restore(janitor, aside, path, &err));
    cr_assert_eq(rename(path, aside), 0);
    cr_assert_eq(mkdir(path, 0700), 0);
    cr_assert_eq(mkdir("ws/other", 0700), 0);
}

Test(janitor, a_workspace_that_was_moved_aside_comes_back)
{
    struct janitor *janitor = start();
    move_aside(janitor);
    janitor_end(janitor);
    cr_assert(is_there("ws/original"));
    cr_assert_not(is_there("ws/other"));
    cr_assert_eq(rmdir("ws/original"), 0);
    cr_assert_eq(rmdir("ws"), 0);
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(rmdir(base), 0, "something is left: %s", strerror(errno));
    cr_assert_eq(mkdir(base, 0700), 0);
}

Test(janitor, a_workspace_that_was_not_moved_yet_is_left_alone)
{
    struct err err = {0};
    struct janitor *janitor = start();
    char *path OWN(own_mem) = mem_format("%s/ws", base);
    char *aside OWN(own_mem) = mem_format("%s/aside", base);
    cr_assert(janitor_restore(janitor, aside, path, &err));
    janitor_end(janitor);
    cr_assert(is_there("ws/original"));
}

Test(janitor, it_cleans_up_when_brink_is_killed)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); /* the janitor becomes ours to wait for */
    const pid_t brink = fork();
    if (brink == 0) {
        move_aside(start());
        if (write(ends[1], "x", 1) == 1)
            kill(getpid(), SIGKILL);
    }
    close(ends[1]);
    char byte;
    cr_assert_eq(read(ends[0], &byte, 1), 1);
    cr_assert_eq(waitpid(brink, NULL, 0), brink);
    cr_assert_gt(waitpid(-1, NULL, 0), 0, "the janitor is not there");
    cr_assert(is_there("ws/original"));
    cr_assert_not(is_there("ws/other"));
}
