/* fail.h - why a command of the journal did not do what it was asked to, and its exit code.
 *
 * Functions that can fail return bool and take `struct fail *fail` last: true = done and *fail
 * untouched; false = *fail says what, on which file, and why. Only main prints it. */
#ifndef JOURNAL_FAIL_H
#define JOURNAL_FAIL_H

#include <stdbool.h>

enum exit_code {
    EXIT_CODE_DONE = 0,
    EXIT_CODE_SYSTEM = 1,   /* the system refused a call: a full disk, a missing permission */
    EXIT_CODE_USAGE = 2,    /* the command line is wrong */
    EXIT_CODE_CONFLICT = 3, /* the key is known, with another body */
    EXIT_CODE_DAMAGE = 4,   /* a complete frame is damaged: nothing was changed */
    EXIT_CODE_LOCKED = 75,  /* the lock was not to be had in time: try again later */
};

struct fail {
    enum exit_code code;
    char text[480];
};

/* Fills *fail and returns false, so that callers write `return fail_...(fail, ...);`. */
bool fail_with(struct fail *fail, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a refused call: appends the meaning of errno, which it reads first. */
bool fail_system(struct fail *fail, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
