/* folder.h - whole directory trees: copy one, remove one, make a temporary one. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include "err.h"

/* Copies everything in the directory open as from_fd into the empty directory open as to_fd, with
 * types, links, permission bits, times, holes, and owners and xattrs as far as the user may set
 * them; and the attributes of the directory itself. Reflinks where the file system can. Sockets are
 * made anew as names. */
MUST_USE bool folder_copy(int from_fd, int to_fd, struct err *err);

/* Removes parent_fd/name and all below it, also where permission bits of directories are in the
 * way. A missing one is no failure. Never follows a symbolic link, never crosses a mount. */
MUST_USE bool folder_remove(int parent_fd, const char *name, struct err *err);

/* A new random name parent/.brink-XXXXXXXXXX, for who must be told of a folder before it is made.
 * Caller frees. */
char *folder_name(const char *parent);

/* Makes a new directory parent/.brink-XXXXXXXXXX (mode 0700) and gives its path, which the caller
 * frees. */
MUST_USE bool folder_temporary(const char *parent, char **out, struct err *err);

#endif
