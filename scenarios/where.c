#include "where.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/attr.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { DEPTH_MAX = 32 };

char *where_text(const struct where *where)
{
    if (!where)
        return mem_string("");
    char *up OWN(own_mem) = where_text(where->up);
    if (!where->key)
        return mem_format("%s[%zu]", up, where->index);
    return mem_format("%s%s%s", up, *up ? "." : "", where->key);
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The place behind a string that begins at its quote. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1])
            at++;
    }
    return *at ? at + 1 : at;
}

/* The place behind a value. Brackets inside strings do not count; others are balanced. */
static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        at = skip_blanks(at);
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (*at) {
            at += 1 + strcspn(at + 1, " \t\r\n,:{}[]\"");
        }
    } while (depth > 0 && *at);
    return at;
}

static bool is_key(const char *quote, const char *key)
{
    const size_t size = strlen(key);
    return strncmp(quote + 1, key, size) == 0 && quote[1 + size] == '"';
}

/* at: the value to look into. *value: what was found; *shown: the place to show for it. */
static bool enter_object(const char *at, const char *key, const char **value, const char **shown)
{
    if (*at != '{')
        return false;
    for (at = skip_blanks(at + 1); *at == '"';) {
        const char *name = at;
        at = skip_blanks(skip_string(at));
        at = skip_blanks(*at == ':' ? at + 1 : at);
        if (is_key(name, key)) {
            *value = at;
            *shown = name;
            return true;
        }
        at = skip_blanks(skip_value(at));
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return false;
}

static bool enter_array(const char *at, size_t index, const char **value, const char **shown)
{
    if (*at != '[')
        return false;
    at = skip_blanks(at + 1);
    for (size_t i = 0; *at && *at != ']'; i++) {
        if (i == index) {
            *value = at;
            *shown = at;
            return true;
        }
        at = skip_blanks(skip_value(at));
        at = *at == ',' ? skip_blanks(at + 1) : at;
    }
    return false;
}

static struct where_position position_of(const char *text, const char *at)
{
    struct where_position position = {1, 1};
    for (; text < at; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '\n') {
            position.line++;
            position.column = 1;
        } else {
            position.column += (c & 0xc0) != 0x80; /* not for the later bytes of a character */
        }
    }
    return position;
}

bool where_find(const char *text, const struct where *where, struct where_position *out)
{
    const struct where *steps[DEPTH_MAX];
    size_t count = 0;
    for (const struct where *step = where; step && count < DEPTH_MAX; step = step->up)
        steps[count++] = step;
    const char *value = skip_blanks(text);
    const char *shown = value;
    bool is_there = true;
    while (is_there && count > 0) {
        const struct where *step = steps[--count];
        is_there = step->key ? enter_object(value, step->key, &value, &shown)
                             : enter_array(value, step->index, &value, &shown);
    }
    *out = position_of(text, shown);
    return is_there;
}
