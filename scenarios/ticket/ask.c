#include "worker.h"

bool ask_service(struct worker *worker, const struct intent *intent, struct client_answer *answer,
                 enum judge_verdict *verdict, char reason[JUDGE_REASON_SIZE], struct fail *fail)
{
    if (!client_look_up(&worker->client, intent->action_id, answer, fail))
        return false;
    *verdict = judge_look_up(answer, intent, reason);
    return true;
}
