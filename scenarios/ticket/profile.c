#include "profile.h"

#include <stdio.h>
#include <string.h>

static const struct profile profiles[] = {
    {.name = "lab"},
    {.name = "ietf", .is_ietf = true},
    {.name = "503", .lookup = LOOKUP_PLAIN, .status = 503, .outcome = "unavailable"},
    {.name = "404", .lookup = LOOKUP_PLAIN, .status = 404, .outcome = "plain"},
    {.name = "401", .lookup = LOOKUP_PLAIN, .status = 401, .outcome = "unauthorized"},
    {.name = "404-hides-401", .lookup = LOOKUP_PLAIN, .status = 404, .outcome = "hidden-401"},
    {.name = "unknown-contract", .lookup = LOOKUP_RENAMED},
    {.name = "wrong-action-id", .lookup = LOOKUP_WRONG_ACTION},
    {.name = "wrong-digest", .lookup = LOOKUP_WRONG_DIGEST},
    {.name = "expired", .lookup = LOOKUP_ABSENT, .clause = "retention", .clause_value = "P1D"},
    {.name = "eventual", .lookup = LOOKUP_ABSENT, .clause = "lookup", .clause_value = "eventual"},
    {.name = "in-flight",
     .action = ACTION_IN_FLIGHT,
     .clause = "in_flight",
     .clause_value = "unserialized"},
    {.name = "response-dropped", .action = ACTION_DROPPED},
    {.name = "response-late", .action = ACTION_LATE},
    {.name = "response-partial", .action = ACTION_PARTIAL},
    {.name = "dies-before-commit", .action = ACTION_DIES_BEFORE},
    {.name = "dies-after-commit", .action = ACTION_DIES_AFTER},
    {.name = "without-authentication", .clause = "authentication"},
    {.name = "without-in-flight", .clause = "in_flight"},
    {.name = "without-lookup", .clause = "lookup"},
    {.name = "without-payload-binding", .clause = "payload_binding"},
    {.name = "without-retention", .clause = "retention"},
    {.name = "without-scope", .clause = "scope"},
};

const struct profile *profile_find(const char *name)
{
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    }
    return NULL;
}

void profile_names(char *out, unsigned size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, i > 0 ? " %s" : "%s", profiles[i].name);
}
