#include "worker.h"

bool settle_receipt(struct worker *worker, const struct intent *intent,
                    const struct client_answer *answer, enum settle_source source,
                    struct fail *fail)
{
    struct writer *writer = &worker->writer;
    char reason[JUDGE_REASON_SIZE];
    const enum judge_verdict verdict = source == SETTLE_LOOK_UP
                                           ? judge_look_up(answer, intent, reason)
                                           : judge_action(answer, intent, reason);
    if (verdict != JUDGE_FOUND)
        return worker_hold(worker, intent, reason, fail);
    const struct writer_entry reconciled = {EVENT_RECONCILED, intent->action_id, intent->digest,
                                            answer->body};
    const struct writer_entry confirmed = {EVENT_ACTION_CONFIRMED, intent->action_id,
                                           intent->digest, answer->body};
    const struct writer_entry completed = {EVENT_COMPLETED, intent->action_id, intent->digest,
                                           NULL};
    return announce_receipt(writer, intent->action_id, intent->digest, fail) &&
           (source != SETTLE_LOOK_UP || writer_append(writer, &reconciled, fail)) &&
           writer_append(writer, &confirmed, fail) && writer_append(writer, &completed, fail);
}
