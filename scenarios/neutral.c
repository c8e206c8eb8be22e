#include "neutral.h"

#include <stdlib.h>
#include <string.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* What may stand behind a path that is meant: "/tmp/a" is not in "/tmp/ab". */
static bool is_end(char next)
{
    static const char part_of_name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_";
    return next == '\0' || strchr(part_of_name, next) == NULL;
}

/* Takes over the text; gives it back, or another one. */
static char *replace(char *text, const struct neutral_place *place)
{
    const size_t size = strlen(place->path);
    char *from = text;
    for (char *at = strstr(from, place->path); at; at = strstr(from, place->path)) {
        if (!is_end(at[size])) {
            from = at + 1;
            continue;
        }
        const size_t before = (size_t)(at - text);
        char *longer = mem_format("%.*s%s%s", (int)before, text, place->word, at + size);
        free(text);
        text = longer;
        from = text + before + strlen(place->word);
    }
    return text;
}

static void replace_all(json_t *string, const struct neutral_place *places)
{
    if (!strchr(json_string_value(string), '/'))
        return;
    char *text = mem_string(json_string_value(string));
    for (const struct neutral_place *place = places; place->path; place++) {
        if (place->path[0] == '/' && place->path[1] != '\0')
            text = replace(text, place);
    }
    json_string_set(string, text);
    free(text);
}

void neutral_make(json_t *json, const struct neutral_place *places)
{
    const char *key;
    json_t *value;
    size_t index;
    if (json_is_string(json))
        replace_all(json, places);
    json_object_foreach(json, key, value)
    {
        neutral_make(value, places);
    }
    json_array_foreach(json, index, value)
    {
        neutral_make(value, places);
    }
}
