#include "workspace.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static char base[] = "/tmp/workspace-test-XXXXXX";
static struct workspace_options options;

static void put(const char *path, const char *text)
{
    const int fd OWN(own_fd) = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void make(void)
{
    struct err err = {0};
    cr_assert(mkdtemp(base));
    cr_assert_eq(chdir(base), 0);
    cr_assert_eq(setenv("TMPDIR", base, 1), 0);
    cr_assert_eq(mkdir("ws", 0755), 0);
    cr_assert_eq(mkdir("init", 0755), 0);
    put("ws/own", "own");
    put("init/given", "given");
    cr_assert(janitor_start(&options.janitor, &err), "%s", err.text);
}

static void unmake(void)
{
    struct err err = {0};
    cr_assert_eq(unlink("ws/own"), 0, "the user's file is gone");
    cr_assert_eq(rmdir("ws"), 0, "something was written into the user's folder");
    cr_assert_eq(unlink("init/given"), 0);
    cr_assert_eq(rmdir("init"), 0);
    cr_assert_eq(chdir("/"), 0);
    cr_assert_eq(rmdir(base), 0, "something is left");
    janitor_end(options.janitor);
    (void)err;
}

TestSuite(workspace, .init = make, .fini = unmake, .timeout = 30);

static struct workspace *prepare(void)
{
    struct err err = {0};
    struct workspace *workspace = NULL;
    cr_assert(workspace_prepare(&options, &workspace, &err), "%s", err.text);
    return workspace;
}

static bool has(const struct workspace *workspace, const char *name)
{
    return faccessat(workspace_fd(workspace), name, F_OK, 0) == 0;
}

static bool has_pristine(const struct workspace *workspace, const char *name)
{
    char *path OWN(own_mem) = mem_format("%s/%s", workspace_pristine(workspace), name);
    return access(path, F_OK) == 0;
}

Test(workspace, the_copy_has_what_the_users_folder_has)
{
    options.dir = "ws";
    struct workspace *workspace = prepare();
    char *path OWN(own_mem) = mem_format("%s/ws", base);
    cr_assert_str_eq(workspace_path(workspace), path);
    cr_assert(has(workspace, "own"));
    cr_assert(has_pristine(workspace, "own"));
    struct stat copy;
    struct stat own;
    cr_assert_eq(fstat(workspace_fd(workspace), &copy), 0);
    cr_assert_eq(stat("ws", &own), 0);
    cr_assert_eq(copy.st_dev, own.st_dev);
    cr_assert_neq(copy.st_ino, own.st_ino);
    cr_assert_null(workspace_note(workspace));
    workspace_close(workspace);
}

Test(workspace, without_a_folder_it_is_new_and_empty_and_gone_afterwards)
{
    struct workspace *workspace = prepare();
    cr_assert_not(has(workspace, "own"));
    cr_assert_eq(access(workspace_path(workspace), F_OK), 0);
    workspace_close(workspace);
}

Test(workspace, init_is_the_content_instead_of_the_folders_own)
{
    options.dir = "ws";
    options.init = "init";
    struct workspace *workspace = prepare();
    cr_assert(has(workspace, "given"));
    cr_assert_not(has(workspace, "own"));
    workspace_close(workspace);
}

Test(workspace, setup_runs_at_the_path_and_changes_the_copy_alone)
{
    const char *const additions[] = {"NAME=made", NULL};
    options.dir = "ws";
    options.environment = additions;
    options.setup = "test $(pwd) = $BRINK_WORKSPACE && test -f own && : >$NAME && rm own";
    struct workspace *workspace = prepare();
    cr_assert(has(workspace, "made"));
    cr_assert_not(has(workspace, "own"));
    cr_assert(has_pristine(workspace, "made"));
    workspace_close(workspace);
}

/* Looks through /proc, by shell: the command line holds no other process's name. */
static bool is_running(const char *words)
{
    const pid_t child = fork();
    if (child == 0)
        execlp("pgrep", "pgrep", "-fx", words, (char *)NULL);
    int status = -1;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status == 0;
}

Test(workspace, what_setup_leaves_running_ends_with_it)
{
    options.dir = "ws";
    options.setup = "(setsid sleep 60.5 >/dev/null 2>&1 &) ; echo $$ >pid";
    struct workspace *workspace = prepare();
    cr_assert(has(workspace, "pid"));
    cr_assert_not(is_running("sleep 60.5"));
    workspace_close(workspace);
}

Test(workspace, renewing_makes_the_copy_pristine)
{
    options.dir = "ws";
    struct workspace *workspace = prepare();
    cr_assert_eq(unlinkat(workspace_fd(workspace), "own", 0), 0);
    cr_assert_eq(mkdirat(workspace_fd(workspace), "more", 0), 0);
    struct err err = {0};
    cr_assert(workspace_renew(workspace, &err), "%s", err.text);
    cr_assert(has(workspace, "own"));
    cr_assert_not(has(workspace, "more"));
    workspace_close(workspace);
}

static void expect_error(const char *text)
{
    struct err err = {0};
    struct workspace *workspace = NULL;
    cr_assert_not(workspace_prepare(&options, &workspace, &err));
    cr_assert_eq(err.kind, ERR_USAGE, "%s", err.text);
    cr_assert_str_eq(err.text, text);
}

Test(workspace, a_missing_folder_is_named)
{
    options.dir = "none";
    expect_error("workspace none: no such folder; create it first");
}

Test(workspace, a_file_is_no_workspace)
{
    options.dir = "ws/own";
    expect_error("workspace ws/own: not a directory; give the folder itself");
}

Test(workspace, the_root_is_refused)
{
    options.dir = "/usr/..";
    expect_error("workspace /: too much; give the folder that the worker writes to");
}

Test(workspace, a_missing_init_is_named)
{
    options.dir = "ws";
    options.init = "none";
    expect_error("init none: no such folder; create it first");
}

Test(workspace, an_init_that_is_not_readable_as_a_whole_is_the_users_matter)
{
    cr_assert_eq(mkdir("init/locked", 0), 0);
    if (getuid() == 0) {
        cr_assert_eq(chmod(base, 0777), 0);
        cr_assert_eq(seteuid(65534), 0);
    }
    options.init = "init";
    struct err err = {0};
    struct workspace *workspace = NULL;
    cr_expect_not(workspace_prepare(&options, &workspace, &err));
    if (getuid() == 0)
        cr_assert_eq(seteuid(0), 0);
    cr_assert_eq(rmdir("init/locked"), 0);
    cr_assert_eq(err.kind, ERR_USAGE, "%s", err.text);
    cr_assert(strstr(err.text, "init is not readable as a whole"), "%s", err.text);
}

Test(workspace, a_setup_that_fails_is_told_with_its_status)
{
    options.dir = "ws";
    options.setup = "exit 3";
    expect_error("setup exited with 3: exit 3");
}

Test(workspace, where_the_parent_is_not_writable_the_copy_is_elsewhere)
{
    if (getuid() == 0)
        return; /* root may write anywhere */
    cr_assert_eq(mkdir("locked", 0755), 0);
    cr_assert_eq(mkdir("locked/ws", 0755), 0);
    cr_assert_eq(chmod("locked", 0555), 0);
    options.dir = "locked/ws";
    struct workspace *workspace = prepare();
    workspace_close(workspace);
    cr_assert_eq(chmod("locked", 0755), 0);
    cr_assert_eq(rmdir("locked/ws"), 0);
    cr_assert_eq(rmdir("locked"), 0);
}
