/* Mutant: sends again whatever became of the first request. */
#include "worker.h"

bool ask_service(struct worker *worker, const struct intent *intent, struct client_answer *answer,
                 enum judge_verdict *verdict, char reason[JUDGE_REASON_SIZE], struct fail *fail)
{
    (void)worker;
    (void)intent;
    (void)answer;
    (void)reason;
    (void)fail;
    *verdict = JUDGE_ABSENT;
    return true;
}
