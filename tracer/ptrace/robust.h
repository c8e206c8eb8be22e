/* robust.h - robust mutexes that the worker holds in mappings of workspace files.
 *
 * The kernel keeps, for each thread, a list in the thread's own memory of the robust mutexes that
 * it holds, and changes their words when the thread ends or execs (set_robust_list(2)). The lists
 * are looked at whenever stores through mappings were found, for no lock is taken without one. What
 * stands in them goes into the trace as places (robust_place.h): a state in which the worker dies
 * is made with them. When a thread ends by itself, the kernel's store is an op like any other.
 *
 * What can be missed: a word that a running thread holds while its page is read and gives back
 * before its list is, a few microseconds later, if it is never met again. */
#ifndef PTRACE_ROBUST_H
#define PTRACE_ROBUST_H

#include "recorder.h"

struct robust *robust_new(void);
void robust_free(struct robust *robust);

/* Stores were found, the first of them at op `before`: notes what is held now. */
MUST_USE bool robust_look(struct recorder *recorder, uint32_t before, struct err *err);

/* The thread is at its last stop: writes down the stores that its end will make. */
MUST_USE bool robust_ending(struct recorder *recorder, const struct tracee *tracee,
                            struct err *err);

/* The same for an exec, which does it only when it succeeds: at its entry, and when it has. former:
 * the thread's number at the entry. */
void robust_execing(struct recorder *recorder, const struct tracee *tracee);
MUST_USE bool robust_execed(struct recorder *recorder, const struct tracee *tracee, pid_t former,
                            struct err *err);

/* Mappings of the process have gone: a death changes no more what lay in them. */
void robust_unmapped(struct recorder *recorder, pid_t process);

#endif
