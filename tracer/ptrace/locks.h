/* locks.h - which processes hold locks on files of the workspace.
 *
 * Taking a lock is a call. Giving it back may be one as well, or a close, an exec or the end of a
 * process; whether a lock is gone then is asked of the kernel, which would not give us one. Locks
 * are looked at only where a recording asks for them, for then every close stops the worker. */
#ifndef PTRACE_LOCKS_H
#define PTRACE_LOCKS_H

#include "recorder.h"

bool locks_are_wanted(const struct record_options *options);

struct locks;

struct locks *locks_new(void);
void locks_free(struct locks *locks);

/* A call of the thread took the lock that its op tells of: writes that, after the ends of locks
 * that must have been given back before. */
MUST_USE bool locks_taken(struct recorder *recorder, struct tracee *tracee, struct err *err);

/* Whether the process may be able to give back a lock on the node. Locks that belong to an open
 * file may be given back by others than who took them: `flock 9` of a shell takes one for the
 * shell. */
bool locks_has(const struct recorder *recorder, const struct process *process, uint32_t node);

/* The process may have given locks back, by this call: writes their ends. */
void locks_look(struct recorder *recorder, const struct process *process, long nr);

/* Whether any process of the party (turns.h) holds a lock. */
bool locks_has_party(const struct recorder *recorder, uint32_t party);

#endif
