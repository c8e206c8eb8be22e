/* Mutant: sends again whatever became of the first request. */
#include "worker.h"

bool ask_service(struct worker *worker, const struct intent *intent, struct client_answer *answer,
                 struct judgement *judgement, struct fail *fail)
{
    (void)worker;
    (void)intent;
    (void)answer;
    (void)fail;
    judgement->verdict = JUDGE_ABSENT;
    return true;
}
