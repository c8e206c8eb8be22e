#include "judge.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STATUS_OK = 200, STATUS_CREATED = 201, STATUS_ABSENT = 404 };

static const char contract_name[] = "ticket-lab/1";

/* What must be so before an absence is a permission. Who may see what; which actions are in it; for
 * how long; to what a receipt is bound; what of requests that still run; and that it is current. */
static const struct {
    const char *name;
    const char *value;
} clauses[] = {
    {"authentication", "none"},  {"in_flight", "serialized"},
    {"lookup", "authoritative"}, {"payload_binding", "sha256-of-exact-bytes"},
    {"retention", "unlimited"},  {"scope", "all-actions"},
};

static enum judge_verdict __attribute__((format(printf, 2, 3)))
unknown(char reason[JUDGE_REASON_SIZE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(reason, JUDGE_REASON_SIZE, format, args);
    va_end(args);
    return JUDGE_UNKNOWN;
}

static bool has_text(const json_t *object, const char *member, const char *text)
{
    const char *value = json_string_value(json_object_get(object, member));
    return value && strcmp(value, text) == 0;
}

static enum judge_verdict judge_positive(const json_t *receipt, const struct intent *intent,
                                         char reason[JUDGE_REASON_SIZE])
{
    if (!has_text(receipt, "outcome", "created"))
        return unknown(reason, "receipt rejected: outcome is not created");
    if (!has_text(receipt, "payload_digest", intent->digest))
        return unknown(reason, "receipt rejected: payload_digest is of other bytes");
    return JUDGE_FOUND;
}

static enum judge_verdict judge_negative(const json_t *receipt, char reason[JUDGE_REASON_SIZE])
{
    const json_t *given = json_object_get(receipt, "clauses");
    if (!has_text(receipt, "outcome", "absent"))
        return unknown(reason, "receipt rejected: outcome is not absent");
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        if (!has_text(given, clauses[i].name, clauses[i].value)) {
            return unknown(reason, "absence is no permission: clause %s is not %s", clauses[i].name,
                           clauses[i].value);
        }
    }
    return JUDGE_ABSENT;
}

static enum judge_verdict judge_receipt(const json_t *receipt, bool is_positive,
                                        const struct intent *intent, char reason[JUDGE_REASON_SIZE])
{
    if (!has_text(receipt, "contract", contract_name))
        return unknown(reason, "receipt rejected: contract is not %s", contract_name);
    if (!has_text(receipt, "action_id", intent->action_id))
        return unknown(reason, "receipt rejected: action_id is of another action");
    return is_positive ? judge_positive(receipt, intent, reason) : judge_negative(receipt, reason);
}

static enum judge_verdict judge_body(const struct client_answer *answer, bool is_positive,
                                     const struct intent *intent, char reason[JUDGE_REASON_SIZE])
{
    json_t *receipt =
        json_loadb(answer->body ? answer->body : "", answer->size, JSON_REJECT_DUPLICATES, NULL);
    const enum judge_verdict verdict =
        json_is_object(receipt) && json_object_get(receipt, "contract")
            ? judge_receipt(receipt, is_positive, intent, reason)
            : unknown(reason, "status %ld without a receipt", answer->status);
    json_decref(receipt);
    return verdict;
}

enum judge_verdict judge_look_up(const struct client_answer *answer, const struct intent *intent,
                                 char reason[JUDGE_REASON_SIZE])
{
    if (!answer->is_whole)
        return unknown(reason, "look-up without an answer: %s", answer->problem);
    if (answer->status != STATUS_OK && answer->status != STATUS_ABSENT)
        return unknown(reason, "look-up answered with status %ld", answer->status);
    return judge_body(answer, answer->status == STATUS_OK, intent, reason);
}

enum judge_verdict judge_action(const struct client_answer *answer, const struct intent *intent,
                                char reason[JUDGE_REASON_SIZE])
{
    if (!answer->is_whole)
        return unknown(reason, "action without an answer: %s", answer->problem);
    if (answer->status != STATUS_OK && answer->status != STATUS_CREATED)
        return unknown(reason, "action answered with status %ld", answer->status);
    return judge_body(answer, true, intent, reason);
}
