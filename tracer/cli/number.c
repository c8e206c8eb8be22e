#include "number.h"

#include <stddef.h>
#include <string.h>

#include "tracer/base/clock.h"

enum { SECONDS_MAX = 100 * 365 * 86400U, FRACTION_DIGITS = 9, SHARDS_MAX = 65536 };

/* Reads digits up to `end` or the first other byte, which *rest then points to. */
static bool digits(const char *text, uint64_t *out, const char **rest)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    *rest = at;
    return at != text;
}

bool number_parse(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    const char *rest = NULL;
    if (!digits(text, &value, &rest) || *rest != '\0')
        return false;
    *out = value;
    return true;
}

/* The digits after the point, as nanoseconds. */
static bool fraction(const char *text, uint64_t *out_ns)
{
    const char *rest = NULL;
    if (strlen(text) > FRACTION_DIGITS || !digits(text, out_ns, &rest) || *rest != '\0')
        return false;
    for (size_t i = strlen(text); i < FRACTION_DIGITS; i++)
        *out_ns *= 10;
    return true;
}

bool number_parse_seconds(const char *text, int64_t *out_ns)
{
    uint64_t seconds = 0;
    uint64_t part_ns = 0;
    const char *rest = NULL;
    if (!digits(text, &seconds, &rest) || seconds > SECONDS_MAX)
        return false;
    if (*rest == '.' && !fraction(rest + 1, &part_ns))
        return false;
    if (*rest != '.' && *rest != '\0')
        return false;
    *out_ns = (int64_t)seconds * CLOCK_SECOND + (int64_t)part_ns;
    return true;
}

bool number_parse_shard(const char *text, uint32_t *shard, uint32_t *shards)
{
    uint64_t which = 0;
    uint64_t all = 0;
    const char *rest = NULL;
    if (!digits(text, &which, &rest) || *rest != '/' || !number_parse(rest + 1, &all))
        return false;
    if (which < 1 || which > all || all > SHARDS_MAX)
        return false;
    *shard = (uint32_t)(which - 1);
    *shards = (uint32_t)all;
    return true;
}
