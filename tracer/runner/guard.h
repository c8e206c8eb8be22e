/* guard.h - notices commands that map a file shared and writable.
 *
 * On tmpfs a store into a mapped page changes no timestamp, and elsewhere only the first one to a
 * page does. So what such a command changed is found by comparing bytes alone, and somebody must
 * tell when that is needed: always would read the whole workspace for each state.
 *
 * A seccomp filter hands each mmap of a file with MAP_SHARED to us, its own installer, and lets it
 * go on after a look at how the file was opened. It is inherited by all that is started later;
 * calls that are no such mmap pass in the kernel at no measurable cost. The process that installs
 * it must itself never map a file shared afterwards: it would wait for its own answer. */
#ifndef RUNNER_GUARD_H
#define RUNNER_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

struct guard {
    int fd;           /* to be polled for reading; -1: not installed */
    bool is_hit;      /* somebody mapped a file that concerns us shared, and can write to it */
    bool trusts_proc; /* /proc shows the pids that we see */
    dev_t devices[2]; /* the file systems whose files concern us */
};

/* Installs the filter on the calling thread, for good; devices and trusts_proc are set before.
 * Where the kernel refuses, fd stays -1 and guard_must_compare is always true. */
void guard_install(struct guard *guard);
void guard_close(struct guard *guard);

/* Answers one waiting mmap; to be called when fd is readable. */
void guard_answer(struct guard *guard);

/* Whether files must be compared by content, for all that ran since the last guard_reset. */
bool guard_must_compare(const struct guard *guard);
void guard_reset(struct guard *guard);

#endif
