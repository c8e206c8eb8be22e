#include "worker.h"

bool ask_service(struct worker *worker, const struct intent *intent, struct client_answer *answer,
                 struct judgement *judgement, struct fail *fail)
{
    if (!client_look_up(&worker->client, intent->action_id, answer, fail))
        return false;
    judgement->verdict = judge_look_up(answer, intent, judgement->reason);
    return true;
}
