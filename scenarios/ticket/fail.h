/* fail.h - why a program of the ticket system did not do what it was asked to, and its exit code.
 *
 * Functions that can fail return bool and take `struct fail *fail` last: true = done and *fail
 * untouched; false = *fail says what, on which object, and why. Only a main function prints it. */
#ifndef TICKET_FAIL_H
#define TICKET_FAIL_H

#include <stdbool.h>

enum exit_code {
    EXIT_CODE_DONE = 0,
    EXIT_CODE_SYSTEM = 1,  /* the system or the service refused, and nothing is in doubt */
    EXIT_CODE_USAGE = 2,   /* the command line is wrong */
    EXIT_CODE_REFUSED = 4, /* the log cannot be trusted: nothing was sent, nothing appended */
    EXIT_CODE_HELD = 75,   /* the outcome is unknown; HOLD_UNKNOWN stands in the log */
};

struct fail {
    enum exit_code code;
    char text[480];
};

/* Fills *fail and returns false, so that callers write `return fail_with(fail, ...);`. */
bool fail_with(struct fail *fail, enum exit_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a refused call: appends the meaning of errno, which it reads first. */
bool fail_system(struct fail *fail, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool fail_memory(struct fail *fail);

#endif
