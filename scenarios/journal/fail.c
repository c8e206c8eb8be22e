#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool fail_with(struct fail *fail, enum exit_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(fail->text, sizeof fail->text, format, args);
    va_end(args);
    fail->code = code;
    return false;
}

bool fail_system(struct fail *fail, const char *format, ...)
{
    const int reason = errno;
    char what[sizeof fail->text];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    /* A long path is shortened, never the reason behind it. */
    return fail_with(fail, EXIT_CODE_SYSTEM, "%.350s: %s", what, strerror(reason));
}
