/* Mutant: a retry is a new action to it. It looks up, and sends under, an id that nobody used. */
#include <stdio.h>
#include <string.h>

#include "worker.h"

bool intent_take(struct worker *worker, const struct event *event, struct intent *intent,
                 struct fail *fail)
{
    static char fresh[JOB_NAME_SIZE * 2];
    (void)fail;
    snprintf(fresh, sizeof fresh, "%s/retry", worker->job.action_id);
    *intent = (struct intent){
        .action_id = fresh, .payload = event->detail, .payload_size = strlen(event->detail)};
    digest_of(intent->payload, intent->payload_size, intent->digest);
    return true;
}
