/* Mutant: takes the status 404 for "nothing was done", whatever stands behind it. */
#include "worker.h"

enum { STATUS_ABSENT = 404 };

bool ask_service(struct worker *worker, const struct intent *intent, struct client_answer *answer,
                 struct judgement *judgement, struct fail *fail)
{
    if (!client_look_up(&worker->client, intent->action_id, answer, fail))
        return false;
    judgement->verdict = answer->is_whole && answer->status == STATUS_ABSENT
                             ? JUDGE_ABSENT
                             : judge_look_up(answer, intent, judgement->reason);
    return true;
}
