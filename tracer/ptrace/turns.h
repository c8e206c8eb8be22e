/* turns.h - processes that are started together get their locks in a given order.
 *
 * What the worker's first process starts, with all that comes of it, is a party. Each waits at the
 * entry of its first lock call until all have come to one or ended; then one party after the other
 * has its turn: from being let go on until it holds no lock any more, or has ended. When all have
 * had one, nobody waits any longer. A worker that takes no lock can be made to wait at another
 * call, in the same way: so that what it does without the lock happens between the same calls of
 * others, every time. */
#ifndef PTRACE_TURNS_H
#define PTRACE_TURNS_H

#include "recorder.h"

struct turns;

/* An order that is none is an ERR_USAGE. asked NULL: *out is NULL, which all others accept. */
MUST_USE bool turns_new(const struct record_locks *asked, const struct trace *trace,
                        struct turns **out, struct err *err);
void turns_free(struct turns *turns);

/* The worker has a new process, made by one of the other. */
MUST_USE bool turns_born(struct recorder *recorder, struct process *process,
                         const struct process *maker, struct err *err);

/* A thread is about to take a lock: whether it must wait. */
bool turns_must_wait(struct recorder *recorder, const struct tracee *tracee);

/* The same for any call, at which a party may be asked to wait as at a lock. */
MUST_USE bool turns_look(struct recorder *recorder, struct tracee *tracee, bool *must_wait,
                         struct err *err);

/* The party has got a lock. */
void turns_taken(struct recorder *recorder, uint32_t party);

/* A process of the party is gone. */
void turns_ended(struct recorder *recorder, uint32_t party);

/* Lets those go on whose turn has come. */
MUST_USE bool turns_go_on(struct recorder *recorder, struct err *err);

/* Whether all who were asked for have come; ERR_USAGE with the numbers otherwise. */
MUST_USE bool turns_check(const struct turns *turns, struct err *err);

#endif
