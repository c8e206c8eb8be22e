#include "worker.h"

bool send_action(struct worker *worker, const struct intent *intent, struct fail *fail)
{
    const struct client_action action = {intent->action_id, intent->payload, intent->payload_size};
    struct client_answer answer = {0};
    const bool is_done = client_act(&worker->client, &action, &answer, fail) &&
                         settle_receipt(worker, intent, &answer, SETTLE_ACTION, fail);
    client_answer_fini(&answer);
    return is_done;
}
