/* path_walk.h - where a path leads, as a traced thread sees it.
 *
 * The thread may have another working directory, root, mount namespace and pid namespace of files
 * than we have, so paths are walked from its own directories under /proc; symbolic links are
 * followed by us, step by step, and /proc/self means the thread. What the kernel has already
 * resolved is asked, never modelled. */
#ifndef PTRACE_PATH_WALK_H
#define PTRACE_PATH_WALK_H

#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "tracer/base/err.h"

/* Whose view. */
struct walk_who {
    pid_t pid, tid;
    int dirfd; /* the thread's, or AT_FDCWD */
};

/* A name in a directory. The directory is open (O_PATH) and to be closed by walk_place_fini. */
struct walk_place {
    int dir_fd;
    char name[NAME_MAX + 1]; /* empty: the path names the directory itself ("/", ".", "..") */
};
void walk_place_fini(struct walk_place *place);

/* The place that a path names; links on the way are followed, the last component is not looked at.
 * false: there is no such directory (errno says why), so the thread's call will fail as well. */
bool walk_parent(const struct walk_who *who, const char *path, struct walk_place *out);

/* Like walk_parent, and while the last component is a symbolic link, on to where it points. A link
 * of /proc that points to an open file gives a place without a name. */
bool walk_parent_followed(const struct walk_who *who, const char *path, struct walk_place *out);

/* The object at a path, open with O_PATH, or -1 and errno. An empty path: the directory descriptor
 * itself (AT_EMPTY_PATH). */
int walk_open(const struct walk_who *who, const char *path, bool wants_follow);

/* The object in a place. */
int walk_open_place(const struct walk_place *place);

#endif
