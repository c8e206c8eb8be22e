#include "worker.h"

bool request_action(struct worker *worker, const struct intent *intent, struct fail *fail)
{
    const struct writer_entry requested = {EVENT_ACTION_REQUESTED, intent->action_id,
                                           intent->digest, intent->payload};
    return writer_append(&worker->writer, &requested, fail) && send_action(worker, intent, fail);
}
