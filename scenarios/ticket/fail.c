#include "fail.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REASON_ROOM = 100 }; /* kept free for the reason, however long the object's name is */

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
    va_list args;
    va_start(args, format);
    vsnprintf(fail->text, sizeof fail->text - REASON_ROOM, format, args);
    va_end(args);
    const size_t size = strlen(fail->text);
    snprintf(fail->text + size, sizeof fail->text - size, ": %s", strerror(reason));
    fail->code = EXIT_CODE_SYSTEM;
    return false;
}

bool fail_memory(struct fail *fail)
{
    return fail_with(fail, EXIT_CODE_SYSTEM, "no memory left");
}
