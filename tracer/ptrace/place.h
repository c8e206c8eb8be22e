/* place.h - names and objects of the worker's calls, as nodes of the workspace. */
#ifndef PTRACE_PLACE_H
#define PTRACE_PLACE_H

#include "recorder.h"

/* Reads the path argument `index` of the thread's call; false when it cannot be read, as the kernel
 * will find too. */
bool place_path(const struct tracee *tracee, int index, char path[PATH_MAX]);

/* Whose view the call has, with the descriptor in argument `dirfd` (-1: none). */
struct walk_who place_who(const struct tracee *tracee, int dirfd);

/* Resolves a path to a name in a directory. Excluded names have directory NODE_NONE, as if they
 * were outside. false: it leads nowhere, the call will fail. */
bool place_find(struct recorder *recorder, const struct walk_who *who, const char *path,
                struct call_place *out);
/* The same with symbolic links followed at the end. */
bool place_find_followed(struct recorder *recorder, const struct walk_who *who, const char *path,
                         struct call_place *out);

/* The node of an object that is open (O_PATH); NODE_NONE when it is not of the workspace. */
uint32_t place_node_of(const struct recorder *recorder, int fd, uint32_t *mode);

/* What the place is called by people: relative to the workspace, or absolute. Caller frees. */
char *place_name(struct recorder *recorder, const struct call_place *place);

void place_fini(struct call_place *place);

#endif
