#include "report.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct report *report_find(const char *name)
{
    static const struct report *const all[] = {&report_json, &report_junit, &report_terminal, NULL};
    for (const struct report *const *report = all; *report; report++) {
        if (strcmp((*report)->name, name) == 0)
            return *report;
    }
    return NULL;
}

bool report_wants_colour(FILE *to)
{
    const char *refusal = getenv("NO_COLOR"); /* no-color.org: set and not empty */
    return isatty(fileno(to)) && !(refusal && *refusal);
}
