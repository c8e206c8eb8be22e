/* lock.h - one writer at a time, whether it is a process, a thread or a Java program.
 *
 * The lock is an open-file-description lock over the whole file, present and future. It conflicts
 * with the POSIX record locks that Java's FileLock takes, and, unlike those, also with another open
 * of the file in the same process. It ends when the descriptor is closed, so also when its process
 * dies. It does not hold off a program that never asks for it, and nobody has tried it on NFS. */
#ifndef JOURNAL_LOCK_H
#define JOURNAL_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "fail.h"

enum lock_kind {
    LOCK_SHARED,    /* for readers; the descriptor must be readable */
    LOCK_EXCLUSIVE, /* the descriptor must be writable */
};

/* Waits at most timeout_ms in the kernel; 0 asks once. Until the process ends, SIGALRM is handled
 * by a function that does nothing. */
bool lock_take(int fd, enum lock_kind kind, int64_t timeout_ms, struct fail *fail);

#endif
