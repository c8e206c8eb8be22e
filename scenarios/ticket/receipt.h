/* receipt.h - what the service says about an action, and the contract under which it says so.
 *
 * All texts are compact JSON with sorted members. A negative receipt carries the clauses of the
 * contract with it: what the absence means is then said in the same breath as the absence. */
#ifndef TICKET_RECEIPT_H
#define TICKET_RECEIPT_H

#include <stdint.h>

#include "profile.h"

struct receipt {
    const char *action_id;
    const char *job_id;
    const char *payload_digest;
    int64_t committed_at_ms;
};

/* Each gives a text for the caller to free, or NULL when there is no memory. */
char *receipt_positive(const struct receipt *receipt);
char *receipt_negative(const char *action_id, const struct profile *profile);
char *receipt_contract(const struct profile *profile);

/* The same receipt with one member of another value. */
char *receipt_altered(const char *text, const char *member, const char *value);

/* A contract name that no client knows. */
extern const char receipt_unknown_contract[];

#endif
