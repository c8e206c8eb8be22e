/* verb_evidence.c - brink evidence: whether an archive of a run is still what it was. */
#include <stdio.h>

#include "scenarios/evidence.h"
#include "verbs.h"

bool verb_evidence(const struct settings *settings, int *status, struct err *err)
{
    for (size_t i = 0; i < settings->rest_count; i++) {
        char *mismatch = NULL;
        if (!evidence_check(settings->rest[i], &mismatch, err))
            return false;
        if (mismatch) {
            printf("FAIL %s: %s\n", settings->rest[i], mismatch);
            *status = EXIT_FOUND;
            free(mismatch);
            return true;
        }
        printf("PASS %s\n", settings->rest[i]);
    }
    *status = EXIT_HELD;
    return true;
}
