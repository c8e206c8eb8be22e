#include "path_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "tracer/base/own.h"

enum { LINKS_MAX = 40 };

struct walk {
    const struct walk_who *who;
    int at;    /* O_PATH descriptor of where we are; owned */
    int links; /* followed so far */
};

static bool walk_path(struct walk *walk, const char *path);

void walk_place_fini(struct walk_place *place)
{
    own_close_now(&place->dir_fd);
}

/* Takes fd as the new place; false when it is no descriptor. */
static bool move_to(struct walk *walk, int fd)
{
    if (fd == -1)
        return false;
    own_close_now(&walk->at);
    walk->at = fd;
    return true;
}

static bool move_to_proc(struct walk *walk, const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)walk->who->tid, what);
    return move_to(walk, open(path, O_PATH | O_CLOEXEC));
}

static bool start(struct walk *walk, const char *path)
{
    if (path[0] == '/')
        return move_to_proc(walk, "root");
    if (walk->who->dirfd == AT_FDCWD)
        return move_to_proc(walk, "cwd");
    char what[32];
    snprintf(what, sizeof what, "fd/%d", walk->who->dirfd);
    return move_to_proc(walk, what);
}

static bool is_proc(int fd)
{
    struct statfs facts;
    return fstatfs(fd, &facts) == 0 && facts.f_type == PROC_SUPER_MAGIC;
}

/* Links of /proc whose text is not where they lead. */
static bool is_magic_text(const char *text)
{
    return text[0] == '/' || strstr(text, ":[") != NULL || strncmp(text, "anon_inode:", 11) == 0;
}

/* The walk goes on as a whole path, for "thread-self" stands for three components. */
static bool follow_proc(struct walk *walk, const char *name, const char *text)
{
    char own[64];
    if (strcmp(name, "self") == 0) {
        snprintf(own, sizeof own, "%d", (int)walk->who->pid);
    } else if (strcmp(name, "thread-self") == 0) {
        snprintf(own, sizeof own, "%d/task/%d", (int)walk->who->pid, (int)walk->who->tid);
    } else if (is_magic_text(text)) {
        return move_to(walk, openat(walk->at, name, O_PATH | O_CLOEXEC));
    } else {
        return walk_path(walk, text);
    }
    return move_to(walk, openat(walk->at, own, O_PATH | O_CLOEXEC));
}

static bool link_text(struct walk *walk, int link_fd, char text[PATH_MAX])
{
    if (++walk->links > LINKS_MAX) {
        errno = ELOOP;
        return false;
    }
    const ssize_t size = readlinkat(link_fd, "", text, PATH_MAX - 1);
    if (size < 0)
        return false;
    text[size] = '\0';
    return true;
}

/* From the directory that holds the link `name`, open as link_fd, to where it points. */
static bool follow(struct walk *walk, const char *name, int link_fd)
{
    char text[PATH_MAX];
    if (!link_text(walk, link_fd, text))
        return false;
    if (is_proc(walk->at))
        return follow_proc(walk, name, text);
    return walk_path(walk, text);
}

static bool is_link(int fd)
{
    struct stat facts;
    return fstat(fd, &facts) == 0 && S_ISLNK(facts.st_mode);
}

static bool step(struct walk *walk, const char *name)
{
    int next OWN(own_fd) = openat(walk->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (next == -1)
        return false;
    if (is_link(next))
        return follow(walk, name, next);
    return move_to(walk, own_take_fd(&next));
}

static bool walk_slowly(struct walk *walk, const char *path)
{
    char name[NAME_MAX + 1];
    while (*path != '\0') {
        path += strspn(path, "/");
        const size_t size = strcspn(path, "/");
        if (size == 0)
            break;
        if (size > NAME_MAX) {
            errno = ENAMETOOLONG;
            return false;
        }
        memcpy(name, path, size);
        name[size] = '\0';
        if (!step(walk, name))
            return false;
        path += size;
    }
    return true;
}

/* Follows all links, the last one as well. */
static bool walk_path(struct walk *walk, const char *path)
{
    if (path[0] == '/' && !move_to_proc(walk, "root"))
        return false;
    path += strspn(path, "/");
    if (*path == '\0')
        return true;
    /* One call does it where no link is on the way, which is nearly always. */
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
    const int fd = (int)syscall(SYS_openat2, walk->at, path, &how, sizeof how);
    if (fd != -1)
        return move_to(walk, fd);
    if (errno != ELOOP && errno != ENOSYS)
        return false;
    return walk_slowly(walk, path);
}

/* Cuts a path into its directory part and last component, without slashes at its end. */
static bool split(const char *path, char dir[PATH_MAX], char name[NAME_MAX + 1])
{
    size_t end = strlen(path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    if (end - begin > NAME_MAX || begin >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(dir, path, begin);
    dir[begin] = '\0';
    memcpy(name, path + begin, end - begin);
    name[end - begin] = '\0';
    return true;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* From where the walk is to the parent of `path`. */
static bool to_parent(struct walk *walk, const char *path, char name[NAME_MAX + 1])
{
    char dir[PATH_MAX];
    if (!split(path, dir, name) || !walk_path(walk, dir))
        return false;
    if (!is_dots(name))
        return true;
    const bool is_found = step(walk, name);
    name[0] = '\0';
    return is_found;
}

/* Where the link in the walk's place leads, again as a parent and a name. */
static bool link_to_parent(struct walk *walk, int link_fd, char name[NAME_MAX + 1])
{
    char text[PATH_MAX];
    if (is_proc(walk->at)) {
        const bool is_found = follow(walk, name, link_fd);
        name[0] = '\0';
        return is_found;
    }
    return link_text(walk, link_fd, text) && to_parent(walk, text, name);
}

bool walk_parent(const struct walk_who *who, const char *path, struct walk_place *out)
{
    struct walk walk = {.who = who, .at = -1};
    if (path[0] == '\0') {
        errno = ENOENT;
        return false;
    }
    if (!start(&walk, path) || !to_parent(&walk, path, out->name)) {
        own_close_now(&walk.at);
        return false;
    }
    out->dir_fd = walk.at;
    return true;
}

bool walk_parent_followed(const struct walk_who *who, const char *path, struct walk_place *out)
{
    if (!walk_parent(who, path, out))
        return false;
    struct walk walk = {.who = who, .at = out->dir_fd};
    bool is_found = true;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        int last OWN(own_fd) = -1;
        if (out->name[0] != '\0')
            last = openat(walk.at, out->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (last != -1 && is_link(last)) {
            is_found = link_to_parent(&walk, last, out->name);
            goes_on = is_found;
        }
    }
    out->dir_fd = walk.at;
    if (!is_found)
        walk_place_fini(out);
    return is_found;
}

int walk_open(const struct walk_who *who, const char *path, bool wants_follow)
{
    struct walk walk = {.who = who, .at = -1};
    if (wants_follow || path[0] == '\0') {
        if (start(&walk, path) && walk_path(&walk, path))
            return walk.at;
        own_close_now(&walk.at);
        return -1;
    }
    struct walk_place place = {.dir_fd = -1};
    if (!walk_parent(who, path, &place))
        return -1;
    const int fd = walk_open_place(&place);
    walk_place_fini(&place);
    return fd;
}

int walk_open_place(const struct walk_place *place)
{
    if (place->name[0] == '\0')
        return fcntl(place->dir_fd, F_DUPFD_CLOEXEC, 0);
    return openat(place->dir_fd, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}
