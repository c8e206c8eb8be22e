#include "workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "place.h"
#include "setup.h"
#include "temporary.h"
#include "tracer/base/folder.h"
#include "tracer/base/log.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

struct workspace {
    struct janitor *janitor;
    char *path;        /* what the worker sees */
    char *holder;      /* hidden folder with everything below */
    char *copy;        /* the private copy; the path itself when nothing can be mounted */
    char *pristine;    /* as it was before any run */
    char *more;        /* for more copies */
    char *aside;       /* the user's own, moved aside; NULL: it is not */
    int fd;            /* of copy */
    bool is_temporary; /* path is ours as well */
    char *note;
};

const char *workspace_path(const struct workspace *workspace)
{
    return workspace->path;
}

int workspace_fd(const struct workspace *workspace)
{
    return workspace->fd;
}

int workspace_copy_fd(const struct workspace *workspace)
{
    return workspace->aside ? -1 : workspace->fd;
}

const char *workspace_pristine(const struct workspace *workspace)
{
    return workspace->pristine;
}

const char *workspace_temporary(const struct workspace *workspace)
{
    return workspace->more;
}

const char *workspace_note(const struct workspace *workspace)
{
    return workspace->note;
}

static bool find_folder(const char *what, const char *given, char **out, struct err *err)
{
    struct stat status;
    char *path OWN(own_mem) = realpath(given, NULL);
    if (!path && errno == ENOENT)
        return err_usage(err, "%s %s: no such folder; create it first", what, given);
    if (!path || stat(path, &status) < 0)
        return err_usage(err, "%s %s: %s", what, given, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return err_usage(err, "%s %s: not a directory; give the folder itself", what, given);
    if (access(path, R_OK | X_OK) < 0)
        return err_usage(err, "%s %s: cannot be read; change its permissions", what, given);
    *out = path;
    path = NULL;
    return true;
}

static bool find_path(struct workspace *workspace, const char *dir, struct err *err)
{
    if (!dir) {
        char *parent OWN(own_mem) = NULL;
        workspace->is_temporary = true;
        return temporary_parent(NULL, &parent, err) &&
               janitor_folder(workspace->janitor, parent, &workspace->path, err);
    }
    if (!find_folder("workspace", dir, &workspace->path, err))
        return false;
    if (strcmp(workspace->path, "/") == 0)
        return err_usage(err, "workspace /: too much; give the folder that the worker writes to");
    return true;
}

static bool is_on_one_file_system(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev;
}

/* Beside the workspace; where the user may not write there, in a temporary place. */
static bool make_holder(struct workspace *workspace, struct err *err)
{
    char *parent OWN(own_mem) = temporary_parent_of(workspace->path);
    struct err refused = {0};
    if (!janitor_folder(workspace->janitor, parent, &workspace->holder, &refused)) {
        free(parent);
        parent = NULL;
        if (!temporary_parent(workspace->path, &parent, err) ||
            !janitor_folder(workspace->janitor, parent, &workspace->holder, err))
            return false;
    }
    if (!is_on_one_file_system(workspace->holder, workspace->path)) {
        workspace->note =
            mem_format("copies of %s are in %s, on another file system", workspace->path, parent);
    }
    workspace->pristine = mem_format("%s/pristine", workspace->holder);
    workspace->more = mem_format("%s/more", workspace->holder);
    if (mkdir(workspace->pristine, 0700) < 0 || mkdir(workspace->more, 0700) < 0)
        return err_system(err, "make folders in %s", workspace->holder);
    return true;
}

/* Where nothing can be mounted the copy has to stand at the path itself. */
static bool make_copy_folder(struct workspace *workspace, struct err *err)
{
    struct err why = {0};
    if (place_is_possible(&why)) {
        workspace->copy = mem_format("%s/copy", workspace->holder);
    } else {
        char *aside OWN(own_mem) = mem_format("%s/original", workspace->holder);
        workspace->copy = mem_string(workspace->path);
        if (!janitor_restore(workspace->janitor, aside, workspace->path, err))
            return false;
        if (rename(workspace->path, aside) < 0)
            return err_system(err, "nothing can be mounted: move %s aside", workspace->path);
        workspace->aside = aside;
        aside = NULL;
    }
    if (mkdir(workspace->copy, 0700) < 0)
        return err_system(err, "make the folder %s", workspace->copy);
    workspace->fd = open(workspace->copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return workspace->fd >= 0 || err_system(err, "open %s", workspace->copy);
}

static bool copy_from(const char *path, int to, struct err *err)
{
    const int from OWN(own_fd) = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0)
        return err_system(err, "open %s", path);
    return folder_copy(from, to, err) || err_while(err, "copy %.120s", path);
}

static bool copy_to_pristine(struct workspace *workspace, struct err *err)
{
    const int to OWN(own_fd) = open(workspace->pristine, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (to < 0)
        return err_system(err, "open %s", workspace->pristine);
    return folder_copy(workspace->fd, to, err) || err_while(err, "keep a pristine workspace");
}

/* A user's mistake: what he gave cannot be read. */
static bool copy_content_of(struct workspace *workspace, const char *init, struct err *err)
{
    if (copy_from(init               ? init
                  : workspace->aside ? workspace->aside
                                     : workspace->path,
                  workspace->fd, err))
        return true;
    if (err->os_errno == EACCES || err->os_errno == EPERM) {
        err->kind = ERR_USAGE;
        err->os_errno = 0;
        return err_while(err, "%s is not readable as a whole", init ? "init" : "workspace");
    }
    return false;
}

static bool fill(struct workspace *workspace, const struct workspace_options *options,
                 const char *init, struct err *err)
{
    if (!find_path(workspace, options->dir, err) || !make_holder(workspace, err) ||
        !make_copy_folder(workspace, err) || !copy_content_of(workspace, init, err))
        return false;
    const struct setup setup = {.text = options->setup,
                                .path = workspace->path,
                                .copy_fd = workspace_copy_fd(workspace),
                                .environment = options->environment};
    if (options->setup && !setup_run(&setup, err))
        return false;
    return copy_to_pristine(workspace, err);
}

bool workspace_prepare(const struct workspace_options *options, struct workspace **out,
                       struct err *err)
{
    char *init OWN(own_mem) = NULL;
    if (options->init && !find_folder("init", options->init, &init, err))
        return false;
    struct workspace *workspace = mem_new(1, sizeof *workspace);
    workspace->janitor = options->janitor;
    workspace->fd = -1;
    if (fill(workspace, options, init, err)) {
        *out = workspace;
        return true;
    }
    workspace_close(workspace);
    return false;
}

/* What cannot be removed now is tried again by the janitor at the end. */
static void give_back(const struct workspace *workspace, const char *path)
{
    struct err err = {0};
    if (path && !janitor_remove(workspace->janitor, path, &err))
        LOG(WARN, "%s", err.text);
}

void workspace_close(struct workspace *workspace)
{
    struct err err = {0};
    if (!workspace)
        return;
    own_close_now(&workspace->fd);
    const bool is_back =
        !workspace->aside ||
        janitor_bring_back(workspace->janitor, workspace->aside, workspace->path, &err);
    if (is_back) {
        give_back(workspace, workspace->holder);
    } else {
        LOG(ERROR, "%s", err.text);
    }
    if (workspace->is_temporary)
        give_back(workspace, workspace->path);
    free(workspace->path);
    free(workspace->holder);
    free(workspace->copy);
    free(workspace->pristine);
    free(workspace->more);
    free(workspace->aside);
    free(workspace->note);
    free(workspace);
}

bool workspace_renew(struct workspace *workspace, struct err *err)
{
    char *parent OWN(own_mem) = temporary_parent_of(workspace->copy);
    const int parent_fd OWN(own_fd) = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent_fd < 0)
        return err_system(err, "open %s", parent);
    own_close_now(&workspace->fd);
    if (!folder_remove(parent_fd, strrchr(workspace->copy, '/') + 1, err))
        return false;
    if (mkdir(workspace->copy, 0700) < 0)
        return err_system(err, "make the folder %s", workspace->copy);
    workspace->fd = open(workspace->copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (workspace->fd < 0)
        return err_system(err, "open %s", workspace->copy);
    return copy_from(workspace->pristine, workspace->fd, err);
}
