/* Mutant: does not keep the bytes of its request. It classifies again, builds them anew, and sends
 * them under the old action id. */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

static char *rebuilt;

static void free_rebuilt(void)
{
    free(rebuilt);
}

bool intent_take(struct worker *worker, const struct event *event, struct intent *intent,
                 struct fail *fail)
{
    char classification[CLIENT_WORD_SIZE];
    if (!client_classify(&worker->client, &worker->job, classification, fail))
        return false;
    rebuilt = job_request(&worker->job, classification);
    if (!rebuilt || atexit(free_rebuilt) != 0)
        return fail_memory(fail);
    *intent = (struct intent){
        .action_id = event->action_id, .payload = rebuilt, .payload_size = strlen(rebuilt)};
    digest_of(intent->payload, intent->payload_size, intent->digest);
    return true;
}

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
