/* inject.h - make a stopped thread do one system call for us.
 *
 * The thread must stand at a system call exit stop, or at any stop where its registers may be set
 * and no call is in progress; it is driven through the call and left exactly as it was: registers,
 * signal state and (all but for the call's own effect) memory. Used to open a userfaultfd inside
 * the worker. */
#ifndef PTRACE_INJECT_H
#define PTRACE_INJECT_H

#include <sys/types.h>

#include "tracer/base/err.h"

/* nr and up to six arguments; *result is what the kernel returned (-errno on failure). Signals and
 * stops that come meanwhile are not lost: they happen after the thread goes on. When the thread is
 * killed meanwhile, err->os_errno is ESRCH and its wait status is left for the caller to wait for.
 */
MUST_USE bool inject_call(pid_t tid, long nr, const unsigned long args[6], long *result,
                          struct err *err);

/* The thread stands where the filter stopped it, before a call: the call is not done, and the
 * thread stands at its exit then. Failures as above. */
MUST_USE bool inject_skip(pid_t tid, struct err *err);

#endif
