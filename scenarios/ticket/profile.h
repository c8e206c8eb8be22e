/* profile.h - the ways in which the service can behave: one honest one, and those that a worker
 * must not take for permission. */
#ifndef TICKET_PROFILE_H
#define TICKET_PROFILE_H

#include <stdbool.h>

#include "fail.h"

enum lookup_body {
    LOOKUP_HONEST,
    LOOKUP_PLAIN,        /* `status` and a plain body: no receipt at all */
    LOOKUP_RENAMED,      /* an honest receipt under a contract that nobody knows */
    LOOKUP_WRONG_ACTION, /* a positive receipt for another action */
    LOOKUP_WRONG_DIGEST, /* a positive receipt for other bytes */
    LOOKUP_ABSENT,       /* a negative receipt, whatever is in the ledger */
};

enum action_deed {
    ACTION_HONEST,
    ACTION_DROPPED,     /* commits, then closes the connection without an answer */
    ACTION_LATE,        /* commits, then lets the client wait */
    ACTION_PARTIAL,     /* commits, then sends half of the answer */
    ACTION_IN_FLIGHT,   /* commits only after a look-up was answered, or after the delay */
    ACTION_DIES_BEFORE, /* the service dies with its transaction open */
    ACTION_DIES_AFTER,  /* the service dies behind the commit, before the answer */
};

struct profile {
    const char *name;
    enum lookup_body lookup;
    int status;          /* of LOOKUP_PLAIN */
    const char *outcome; /* of LOOKUP_PLAIN, for the audit: what the client is not told */
    enum action_deed action;
    bool is_ietf;             /* 422 for another payload, 409 while the first one runs */
    const char *clause;       /* this clause of the contract differs */
    const char *clause_value; /* NULL: it is missing */
};

/* NULL: no profile has that name. */
const struct profile *profile_find(const char *name);

/* The names, separated by blanks. */
void profile_names(char *out, unsigned size);

#endif
