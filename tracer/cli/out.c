#include "out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/store.h"

/* All that brink ever writes into an output folder. */
static const char *const ours[] = {
    "run.db",       "run.db-journal", "run.db-wal",  "run.db-shm", "run.payload",
    "summary.json", "junit.xml",      "report.html", "states",     "cases",
};
enum { OURS = sizeof ours / sizeof *ours };

/* brink run writes no run.db, but its summary first of all. */
static bool has_summary(int fd)
{
    static const char sign[] = "{\n \"schema\": \"brink/run/1\"";
    char start[sizeof sign] = "";
    const int summary OWN(own_fd) = openat(fd, "summary.json", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return summary >= 0 && read(summary, start, sizeof sign - 1) == sizeof sign - 1 &&
           strcmp(start, sign) == 0;
}

/* A brink that was killed while it made its first run.db has left an empty one. */
static bool has_marker(int fd)
{
    struct stat about = {0};
    if (fstatat(fd, "run.db", &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
        return false;
    if (about.st_size == 0)
        return true;
    struct store *store = NULL;
    struct err ignored = {0};
    if (!store_open(fd, false, &store, &ignored))
        return false;
    store_close(store);
    return true;
}

static bool check(int fd, const char *path, const struct out_options *options, struct err *err)
{
    const bool is_ours = has_marker(fd) || (!options->want_run && has_summary(fd));
    if (options->want_run && !is_ours) {
        return err_usage(err, "--resume: no run of brink in %s; leave --resume out to begin one",
                         path);
    }
    if (!is_ours && !options->is_forced) {
        return err_usage(err,
                         "--out %s: exists and holds no run of brink; choose another folder, or "
                         "--force to write into it",
                         path);
    }
    return true;
}

/* *is_new: we have made it. */
static bool make(const char *path, bool want_run, bool *is_new, struct err *err)
{
    if (want_run)
        return true;
    if (mkdir(path, 0777) == 0) {
        *is_new = true;
        return true;
    }
    if (errno == EEXIST)
        return true;
    err_system(err, "--out %s: make this folder", path);
    err->kind = ERR_USAGE;
    return false;
}

static bool open_folder(const char *path, bool want_run, int *out_fd, struct err *err)
{
    int fd OWN(own_fd) = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && want_run) {
        return err_usage(err, "--resume: there is no folder %s; leave --resume out to begin a run",
                         path);
    }
    if (fd < 0 && errno == ENOTDIR)
        return err_usage(err, "--out %s: is no folder; choose another name", path);
    if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        err_system(err, "--out %s: open this folder for writing", path);
        err->kind = ERR_USAGE;
        return false;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return err_usage(err, "--out %s: another brink is writing there; choose another folder",
                         path);
    }
    *out_fd = own_take_fd(&fd);
    return true;
}

bool out_open(const char *path, const struct out_options *options, struct out *out, struct err *err)
{
    bool is_new = false;
    int fd OWN(own_fd) = -1;
    if (!make(path, options->want_run, &is_new, err) ||
        !open_folder(path, options->want_run, &fd, err))
        return false;
    if (!is_new && !check(fd, path, options, err))
        return false;
    char *real = realpath(path, NULL);
    if (real == NULL)
        return err_system(err, "--out %s: find its real path", path);
    *out = (struct out){.fd = own_take_fd(&fd), .path = real, .is_new = is_new};
    return true;
}

bool out_clear(const struct out *out, struct err *err)
{
    for (size_t i = 0; i < OURS; i++) {
        if (!folder_remove(out->fd, ours[i], err))
            return err_while(err, "replace the run in %s", out->path);
    }
    return true;
}

void out_close(struct out *out)
{
    own_close_now(&out->fd);
    /* Fails, as it should, when anything was written there. */
    if (out->is_new && out->path != NULL)
        rmdir(out->path);
    free(out->path);
    *out = (struct out){.fd = OUT_CLOSED};
}

/* A pattern for fnmatch that matches the text only. Caller frees. */
static char *literal(const char *text)
{
    char *pattern = mem_new(strlen(text) * 2 + 1, 1);
    char *to = pattern;
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr("*?[]\\", *at) != NULL)
            *to++ = '\\';
        *to++ = *at;
    }
    return pattern;
}

bool out_inside(const struct out *out, const char *directory, char **relative, struct err *err)
{
    const size_t size = strlen(directory);
    if (strcmp(out->path, directory) == 0) {
        return err_usage(err, "--out %s: is the workspace itself; choose another folder",
                         out->path);
    }
    if (strncmp(out->path, directory, size) != 0 || out->path[size] != '/') {
        *relative = NULL;
        return true;
    }
    *relative = literal(out->path + size + 1);
    return true;
}
