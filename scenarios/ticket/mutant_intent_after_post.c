/* Mutant: sends its request, and records afterwards that it meant to. */
#include "worker.h"

bool request_action(struct worker *worker, const struct intent *intent, struct fail *fail)
{
    const struct writer_entry requested = {EVENT_ACTION_REQUESTED, intent->action_id,
                                           intent->digest, intent->payload};
    const struct client_action action = {intent->action_id, intent->payload, intent->payload_size};
    struct client_answer answer = {0};
    char reason[JUDGE_REASON_SIZE];
    bool is_done = client_act(&worker->client, &action, &answer, fail);
    if (is_done && judge_action(&answer, intent, reason) == JUDGE_FOUND)
        is_done = announce_receipt(&worker->writer, intent->action_id, intent->digest, fail);
    is_done = is_done && writer_append(&worker->writer, &requested, fail) &&
              settle_receipt(worker, intent, &answer, SETTLE_ACTION, fail);
    client_answer_fini(&answer);
    return is_done;
}
