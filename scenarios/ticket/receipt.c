#include "receipt.h"

#include <jansson.h>

static const char contract_name[] = "ticket-lab/1";
const char receipt_unknown_contract[] = "ticket-lab/9";

/* Takes the value. */
static char *text_of(json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(value);
    return text;
}

static json_t *clauses_of(const struct profile *profile)
{
    json_t *clauses =
        json_pack("{ss ss ss ss ss ss}", "authentication", "none", "in_flight", "serialized",
                  "lookup", "authoritative", "payload_binding", "sha256-of-exact-bytes",
                  "retention", "unlimited", "scope", "all-actions");
    if (!clauses || !profile->clause)
        return clauses;
    if (profile->clause_value) {
        json_object_set_new(clauses, profile->clause, json_string(profile->clause_value));
    } else {
        json_object_del(clauses, profile->clause);
    }
    return clauses;
}

char *receipt_positive(const struct receipt *receipt)
{
    return text_of(json_pack("{ss ss ss ss ss sI}", "action_id", receipt->action_id, "contract",
                             contract_name, "job_id", receipt->job_id, "outcome", "created",
                             "payload_digest", receipt->payload_digest, "committed_at_ms",
                             (json_int_t)receipt->committed_at_ms));
}

char *receipt_negative(const char *action_id, const struct profile *profile)
{
    return text_of(json_pack("{ss so ss ss}", "action_id", action_id, "clauses",
                             clauses_of(profile), "contract", contract_name, "outcome", "absent"));
}

char *receipt_contract(const struct profile *profile)
{
    return text_of(json_pack("{so ss}", "clauses", clauses_of(profile), "contract", contract_name));
}

char *receipt_altered(const char *text, const char *member, const char *value)
{
    json_t *receipt = json_loads(text, 0, NULL);
    if (receipt && json_object_set_new(receipt, member, json_string(value)) != 0) {
        json_decref(receipt);
        return NULL;
    }
    return text_of(receipt);
}
