#include <stdlib.h>
#include <string.h>

#include "receipt.h"
#include "service.h"

/* A receipt for an effect that need not be there: a liar has one at hand for everybody. */
static char *liars_receipt(const struct ledger_found *found, const char *action_id)
{
    char digest[DIGEST_SIZE + 1];
    digest_of(action_id, strlen(action_id), digest);
    const struct receipt receipt = {action_id, "unknown", digest, 0};
    return found->is_there ? strdup(found->receipt) : receipt_positive(&receipt);
}

static char *altered(char *text, const char *member, const char *value)
{
    char *other = text ? receipt_altered(text, member, value) : NULL;
    free(text);
    return other;
}

/* The body of a look-up that says something about the action; *is_positive tells which. */
static char *body_of(const struct profile *profile, const struct ledger_found *found,
                     const char *action_id, bool *is_positive)
{
    char other[DIGEST_SIZE + 1];
    digest_of("other bytes", sizeof "other bytes" - 1, other);
    *is_positive = found->is_there;
    switch (profile->lookup) {
    case LOOKUP_WRONG_ACTION:
        *is_positive = true;
        return altered(liars_receipt(found, action_id), "action_id", "another/action");
    case LOOKUP_WRONG_DIGEST:
        *is_positive = true;
        return altered(liars_receipt(found, action_id), "payload_digest", other);
    case LOOKUP_RENAMED:
        return altered(found->is_there ? strdup(found->receipt)
                                       : receipt_negative(action_id, profile),
                       "contract", receipt_unknown_contract);
    case LOOKUP_ABSENT:
        *is_positive = false;
        return receipt_negative(action_id, profile);
    case LOOKUP_PLAIN:
    case LOOKUP_HONEST:
        break;
    }
    return found->is_there ? strdup(found->receipt) : receipt_negative(action_id, profile);
}

/* The audit's word for what was said, which is not always what is so. */
static const char *outcome_of(const struct profile *profile, bool is_positive)
{
    switch (profile->lookup) {
    case LOOKUP_PLAIN:
        return profile->outcome;
    case LOOKUP_RENAMED:
        return "unknown-contract";
    case LOOKUP_WRONG_ACTION:
        return "wrong-action-id";
    case LOOKUP_WRONG_DIGEST:
        return "wrong-digest";
    case LOOKUP_HONEST:
    case LOOKUP_ABSENT:
        break;
    }
    return is_positive ? "found" : "absent";
}

bool lookup_answer(struct service *service, const char *action_id, struct reply *reply,
                   struct fail *fail)
{
    const struct profile *profile = service->profile;
    struct ledger_found found = {0};
    bool is_positive = false;
    bool is_done = ledger_find(&service->ledger, action_id, &found, fail);
    if (is_done && profile->lookup == LOOKUP_PLAIN) {
        is_done = reply_error(reply, profile->status, "not available", fail);
    } else if (is_done) {
        /* Absence comes with the status of an unknown page: it must not be judged by that. */
        char *body = body_of(profile, &found, action_id, &is_positive);
        is_done = reply_text(reply, is_positive ? 200 : 404, body, fail);
    }
    const struct ledger_audit audit = {.kind = "LOOKUP",
                                       .action_id = action_id,
                                       .status = is_done ? reply->status : 500,
                                       .outcome = outcome_of(profile, is_positive)};
    is_done = is_done && ledger_note(&service->ledger, &audit, fail);
    service->lookups++;
    pthread_cond_broadcast(&service->looked_up);
    free(found.receipt);
    return is_done;
}
