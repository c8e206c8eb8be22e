#include "intent.h"

#include <string.h>

#include "worker.h"

bool intent_take(struct worker *worker, const struct event *event, struct intent *intent,
                 struct fail *fail)
{
    (void)worker;
    *intent = (struct intent){.action_id = event->action_id,
                              .payload = event->detail,
                              .payload_size = strlen(event->detail)};
    digest_of(intent->payload, intent->payload_size, intent->digest);
    return strcmp(intent->digest, event->payload_digest) == 0 ||
           fail_with(fail, EXIT_CODE_REFUSED,
                     "digest mismatch: the saved request of %.200s is not the one it was",
                     event->event_id);
}
