/* evidence.h - everything that a run was and showed, in a folder that can be checked later.
 *
 * protocol.json says what was to be done and by what; cases/, summary.json and junit.xml what was
 * seen; sources/ holds the scenario files. manifest.json has the SHA-256 of each file, and of each
 * source that lies beside the scenarios with its line ends normalised, so that a checkout with
 * other line ends is still the same; it is read-only. */
#ifndef SCENARIOS_EVIDENCE_H
#define SCENARIOS_EVIDENCE_H

#include "case_result.h"
#include "suite.h"

struct evidence_options {
    const char *path; /* must not exist */
    int out_fd;       /* output folder of the run: summary.json, junit.xml, cases/ */
    const struct suite *suite;
    const struct case_result *results;
    const char *version;
};

/* ERR_USAGE when something stands there already. */
MUST_USE bool evidence_is_free(const char *path, struct err *err);

MUST_USE bool evidence_write(const struct evidence_options *options, struct err *err);

/* Looks at every file again, and judges every case anew from what was observed. *mismatch: the
 * first thing that is not as it was, or NULL; the caller frees it. What is no archive at all is an
 * ERR_USAGE. */
MUST_USE bool evidence_check(const char *path, char **mismatch, struct err *err);

#endif
