#include "service.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "receipt.h"

void service_init(struct service *service)
{
    *service = (struct service){.profile = profile_find("lab"), .classifier = 1, .delay_ms = 2000};
    service->first_profile = service->profile;
    pthread_mutex_init(&service->lock, NULL);
    pthread_cond_init(&service->looked_up, NULL);
}

bool reply_text(struct reply *reply, int status, char *text, struct fail *fail)
{
    *reply = (struct reply){.status = status, .type = "application/json"};
    reply->body = text;
    return text || fail_memory(fail);
}

bool reply_error(struct reply *reply, int status, const char *what, struct fail *fail)
{
    json_t *error = json_pack("{si ss}", "status", status, "title", what);
    char *text = error ? json_dumps(error, JSON_COMPACT) : NULL;
    json_decref(error);
    const bool is_filled = reply_text(reply, status, text, fail);
    reply->type = "application/problem+json";
    return is_filled;
}

bool classify_answer(struct service *service, const struct request *request, struct reply *reply,
                     struct fail *fail)
{
    static const char *const answers[SERVICE_CLASSIFIERS] = {"needs-followup", "needs-review",
                                                             "resolved"};
    struct ledger_computation row = {0};
    json_t *question = json_loadb(request->body, request->body_size, JSON_REJECT_DUPLICATES, NULL);
    int count = 0;
    if (json_unpack(question, "{ss ss ss !}", "job_id", &row.job_id, "ticket_id", &row.ticket_id,
                    "title", &row.title) != 0) {
        json_decref(question);
        return reply_error(reply, 400, "a classification wants job_id, ticket_id and title", fail);
    }
    bool is_done = ledger_count_computations(&service->ledger, row.job_id, &count, fail);
    row.classification = answers[count % service->classifier];
    const struct ledger_audit audit = {
        "CLASSIFY", row.job_id, NULL, 200, row.classification, request->body, request->body_size};
    is_done = is_done && ledger_compute(&service->ledger, &row, &audit, fail);
    if (is_done) {
        json_t *answer =
            json_pack("{ss ss}", "classification", row.classification, "job_id", row.job_id);
        is_done = reply_text(reply, 200, answer ? json_dumps(answer, JSON_COMPACT) : NULL, fail);
        json_decref(answer);
    }
    json_decref(question);
    return is_done;
}

/* What belongs to the laboratory and not to the service: neither is in the audit. */
static bool answer_control(struct service *service, const struct request *request,
                           struct reply *reply, struct fail *fail)
{
    if (strcmp(request->path, "/control/reset") == 0) {
        service->profile = service->first_profile;
        return ledger_reset(&service->ledger, fail) && reply_text(reply, 200, strdup("{}\n"), fail);
    }
    const struct profile *profile =
        strcmp(request->path, "/control/profile") == 0 ? profile_find(request->body) : NULL;
    if (!profile)
        return reply_error(reply, 404, "no such control, or no profile of that name", fail);
    service->profile = profile;
    return reply_text(reply, 200, strdup("{}\n"), fail);
}

static bool answer_locked(struct service *service, const struct request *request,
                          struct reply *reply, struct fail *fail)
{
    static const char actions[] = "/actions/";
    const bool is_get = strcmp(request->method, "GET") == 0;
    const bool is_post = strcmp(request->method, "POST") == 0;
    const char *path = request->path;
    if (is_get && strncmp(path, actions, sizeof actions - 1) == 0)
        return lookup_answer(service, path + sizeof actions - 1, reply, fail);
    if (is_get && strcmp(path, "/contract") == 0)
        return reply_text(reply, 200, receipt_contract(service->profile), fail);
    if (is_post && strcmp(path, "/classifications") == 0)
        return classify_answer(service, request, reply, fail);
    if (is_post && strcmp(path, "/actions") == 0)
        return action_answer(service, request, reply, fail);
    if (strcmp(request->method, "PUT") == 0)
        return answer_control(service, request, reply, fail);
    return reply_error(reply, 404, "no such route", fail);
}

bool service_answer(struct service *service, const struct request *request, struct reply *reply,
                    struct fail *fail)
{
    pthread_mutex_lock(&service->lock);
    const bool is_answered = answer_locked(service, request, reply, fail);
    pthread_mutex_unlock(&service->lock);
    return is_answered;
}
