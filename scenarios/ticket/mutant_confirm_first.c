/* Mutant: records the confirmation of any receipt, and looks at what it says afterwards. */
#include "worker.h"

enum { STATUS_OK = 200 };

bool ask_service(struct worker *worker, const struct intent *intent, struct client_answer *answer,
                 struct judgement *judgement, struct fail *fail)
{
    if (!client_look_up(&worker->client, intent->action_id, answer, fail))
        return false;
    judgement->verdict = answer->is_whole && answer->status == STATUS_OK
                             ? JUDGE_FOUND
                             : judge_look_up(answer, intent, judgement->reason);
    return true;
}

bool settle_receipt(struct worker *worker, const struct intent *intent,
                    const struct client_answer *answer, enum settle_source source,
                    struct fail *fail)
{
    struct writer *writer = &worker->writer;
    char reason[JUDGE_REASON_SIZE];
    const struct writer_entry confirmed = {EVENT_ACTION_CONFIRMED, intent->action_id,
                                           intent->digest, answer->body};
    const struct writer_entry completed = {EVENT_COMPLETED, intent->action_id, intent->digest,
                                           NULL};
    if (!writer_append(writer, &confirmed, fail))
        return false;
    const enum judge_verdict verdict = source == SETTLE_LOOK_UP
                                           ? judge_look_up(answer, intent, reason)
                                           : judge_action(answer, intent, reason);
    if (verdict != JUDGE_FOUND)
        return worker_hold(worker, intent, reason, fail);
    return announce_receipt(writer, intent->action_id, intent->digest, fail) &&
           writer_append(writer, &completed, fail);
}
