#include "number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool number_read(const char *text, int64_t min, int64_t max, int64_t *out)
{
    char *end = NULL;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    /* The digits keep out what strtoll takes besides: blanks and signs. */
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' || *end != '\0' || errno != 0 ||
        value < min || value > max)
        return false;
    *out = value;
    return true;
}
