/* place.h - the isolated surroundings of a slot: namespaces and mounts.
 *
 * Two processes: the outer one enters the namespaces and waits; the inner one is pid 1 there, so
 * that its end is the end of everything that was started in it. */
#ifndef RUNNER_PLACE_H
#define RUNNER_PLACE_H

#include <sys/types.h>

#include "tracer/base/err.h"

struct place {
    const char *workspace; /* path that is mounted over */
    const char *promises;  /* folder that is mounted over with a small memory file system */
    int folder_fd;         /* the folder that is mounted at the workspace's path; -1: memory */
    bool want_host_net;
    bool has_proc; /* out: /proc shows the new pids */
    bool has_net;  /* out: the network is its own */
};

/* Whether this machine lets us have such places, tried in a child process. */
MUST_USE bool place_is_possible(struct err *why);

/* The same; *is_memory_whole: the memory file systems there take O_DIRECT and user.* attributes
 * (Linux 6.6). */
MUST_USE bool place_try(bool *is_memory_whole, struct err *why);

/* For a forked child: gives it the surroundings and forks again; returns in the inner process only,
 * or false in the outer one, where it could not be done. The outer one exits with the inner one's
 * exit status (128 and more: its signal). Neither outlives `parent`, the caller's parent. */
MUST_USE bool place_enter(struct place *place, pid_t parent, struct err *err);

#endif
