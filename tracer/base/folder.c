#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "copy.h"
#include "map.h"
#include "mem.h"
#include "own.h"

/* A file with several names was copied under the first one; the others are linked to it. */
struct seen {
    dev_t dev;
    ino_t ino;
    char *path; /* relative to the copy's root */
};

struct copying {
    int root; /* of the copy */
    struct seen *seen;
    size_t seen_count, seen_capacity;
    struct map by_inode; /* key: mixed dev and ino; probed upwards */
};

/* One entry to be copied. */
struct place {
    int from, to; /* directories */
    const char *name;
    const char *path; /* from the root, for messages and links */
    struct stat status;
};

static void own_dir(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

static uint64_t inode_key(const struct stat *status)
{
    return (uint64_t)status->st_ino * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)status->st_dev;
}

/* The path of the copy of this inode, or NULL when it is met for the first time; then it is
 * remembered under `path`. */
static const char *seen_before(struct copying *copying, const struct place *place)
{
    uint64_t at;
    uint64_t key = inode_key(&place->status);
    while (map_get(&copying->by_inode, key, &at)) {
        CHECK(copying->seen);
        const struct seen *seen = &copying->seen[at];
        if (seen->dev == place->status.st_dev && seen->ino == place->status.st_ino)
            return seen->path;
        key++;
    }
    map_put(&copying->by_inode, key, copying->seen_count);
    mem_grow(&copying->seen, &copying->seen_capacity, copying->seen_count + 1,
             sizeof *copying->seen);
    copying->seen[copying->seen_count++] =
        (struct seen){place->status.st_dev, place->status.st_ino, mem_string(place->path)};
    return NULL;
}

static bool copy_file(const struct place *place, struct err *err)
{
    const int from OWN(own_fd) =
        openat(place->from, place->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (from < 0)
        return err_system(err, "open %s", place->path);
    const int to OWN(own_fd) =
        openat(place->to, place->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0)
        return err_system(err, "make a copy of %s", place->path);
    return copy_content(from, to, place->path, err) &&
           copy_attributes(from, to, &place->status, place->path, err);
}

/* Symbolic links and special files: what they are lies in the name's inode alone. */
static bool copy_special(const struct place *place, struct err *err)
{
    char target[4096];
    if (S_ISLNK(place->status.st_mode)) {
        const ssize_t size = readlinkat(place->from, place->name, target, sizeof target - 1);
        if (size < 0)
            return err_system(err, "read the link %s", place->path);
        target[size] = '\0';
        if (symlinkat(target, place->to, place->name) < 0)
            return err_system(err, "make a copy of %s", place->path);
    } else if (mknodat(place->to, place->name, place->status.st_mode, place->status.st_rdev) < 0) {
        return err_system(err, "make a copy of the special file %s", place->path);
    }
    if (fchownat(place->to, place->name, place->status.st_uid, place->status.st_gid,
                 AT_SYMLINK_NOFOLLOW) < 0 &&
        errno != EPERM && errno != EINVAL)
        return err_system(err, "set the owner of the copy of %s", place->path);
    if (!S_ISLNK(place->status.st_mode) &&
        fchmodat(place->to, place->name, place->status.st_mode & 07777, 0) < 0)
        return err_system(err, "set the permissions of the copy of %s", place->path);
    const struct timespec times[2] = {place->status.st_atim, place->status.st_mtim};
    if (utimensat(place->to, place->name, times, AT_SYMLINK_NOFOLLOW) < 0)
        return err_system(err, "set the times of the copy of %s", place->path);
    return true;
}

static bool copy_entries(struct copying *copying, int from, int to, const char *path,
                         struct err *err);

static bool copy_folder(struct copying *copying, const struct place *place, struct err *err)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const int from OWN(own_fd) = openat(place->from, place->name, flags);
    if (from < 0)
        return err_system(err, "open %s", place->path);
    if (mkdirat(place->to, place->name, 0700) < 0)
        return err_system(err, "make a copy of %s", place->path);
    const int to OWN(own_fd) = openat(place->to, place->name, flags);
    if (to < 0)
        return err_system(err, "open the copy of %s", place->path);
    return copy_entries(copying, from, to, place->path, err) &&
           copy_attributes(from, to, &place->status, place->path, err);
}

static bool copy_entry(struct copying *copying, struct place *place, struct err *err)
{
    if (fstatat(place->from, place->name, &place->status, AT_SYMLINK_NOFOLLOW) < 0)
        return err_system(err, "look at %s", place->path);
    if (S_ISDIR(place->status.st_mode))
        return copy_folder(copying, place, err);
    const char *first = place->status.st_nlink > 1 ? seen_before(copying, place) : NULL;
    if (first) {
        if (linkat(copying->root, first, place->to, place->name, 0) < 0)
            return err_system(err, "link the copy of %s", place->path);
        return true;
    }
    return S_ISREG(place->status.st_mode) ? copy_file(place, err) : copy_special(place, err);
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Recursion is as deep as the tree: each level keeps three descriptors, and running out of them is
 * an error like any other. */
static bool copy_entries(struct copying *copying, int from, int to, const char *path,
                         struct err *err)
{
    int own_from OWN(own_fd) = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own_from < 0)
        return err_system(err, "open ./%s", path);
    DIR *dir OWN(own_dir) = fdopendir(own_from);
    if (!dir)
        return err_system(err, "open ./%s", path);
    own_take_fd(&own_from);
    errno = 0;
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char *below OWN(own_mem) =
            *path ? mem_format("%s/%s", path, entry->d_name) : mem_string(entry->d_name);
        struct place place = {.from = from, .to = to, .name = entry->d_name, .path = below};
        if (!is_dots(entry->d_name) && !copy_entry(copying, &place, err))
            return false;
        errno = 0;
    }
    return errno == 0 || err_system(err, "read ./%s", path);
}

bool folder_copy(int from_fd, int to_fd, struct err *err)
{
    struct stat status;
    if (fstat(from_fd, &status) < 0)
        return err_system(err, "look at the folder to be copied");
    struct copying copying = {.root = to_fd};
    const bool is_done = copy_entries(&copying, from_fd, to_fd, "", err) &&
                         copy_attributes(from_fd, to_fd, &status, "the folder itself", err);
    for (size_t i = 0; i < copying.seen_count; i++)
        free(copying.seen[i].path);
    free(copying.seen);
    map_fini(&copying.by_inode);
    return is_done;
}

char *folder_name(const char *parent)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned char random[10] = {0};
    char name[sizeof random + 1] = "";
    const ssize_t got = getrandom(random, sizeof random, 0);
    for (ssize_t i = 0; i < got; i++)
        name[i] = letters[random[i] % (sizeof letters - 1)];
    return mem_format("%s/.brink-%s", strcmp(parent, "/") == 0 ? "" : parent, name);
}

bool folder_temporary(const char *parent, char **out, struct err *err)
{
    char *path OWN(own_mem) = folder_name(parent);
    if (mkdir(path, 0700) < 0)
        return err_system(err, "make a folder in %s", parent);
    *out = path;
    path = NULL;
    return true;
}
