#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "receipt.h"
#include "service.h"

enum {
    MS_PER_SECOND = 1000,
    NS_PER_MS = 1000000,
    STATUS_CONFLICT = 409,
    STATUS_UNPROCESSABLE = 422
};

/* An action whose request has come and whose answer has not gone. */
struct in_flight {
    const char *action_id;
    struct in_flight *next;
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * MS_PER_SECOND + now.tv_nsec / NS_PER_MS;
}

static void die(void)
{
    kill(getpid(), SIGKILL);
}

/* Gives the lock away until a look-up was answered (when asked for), at most for the delay. */
static void wait_for(struct service *service, int delay_ms, bool is_ended_by_lookup)
{
    const unsigned before = service->lookups;
    const int64_t until = now_ms() + delay_ms;
    const struct timespec deadline = {until / MS_PER_SECOND, until % MS_PER_SECOND * NS_PER_MS};
    int code = 0;
    while (code != ETIMEDOUT && !(is_ended_by_lookup && service->lookups != before))
        code = pthread_cond_timedwait(&service->looked_up, &service->lock, &deadline);
}

static bool is_running(const struct service *service, const char *action_id)
{
    for (const struct in_flight *one = service->running; one; one = one->next) {
        if (strcmp(one->action_id, action_id) == 0)
            return true;
    }
    return false;
}

static void remove_running(struct service *service, const struct in_flight *ended)
{
    struct in_flight **place = &service->running;
    while (*place != ended)
        place = &(*place)->next;
    *place = ended->next;
}

/* The key is a string of RFC 8941: in quotes. NULL: it is none, or empty. */
static char *key_of(const struct request *request)
{
    const char *key = request->idempotency_key;
    const size_t size = key ? strlen(key) : 0;
    if (size < 3 || key[0] != '"' || key[size - 1] != '"' || strcspn(key + 1, "\"\\") != size - 2)
        return NULL;
    return strndup(key + 1, size - 2);
}

static bool refuse(struct service *service, const struct ledger_audit *audit, const char *what,
                   struct reply *reply, struct fail *fail)
{
    return ledger_note(&service->ledger, audit, fail) &&
           reply_error(reply, audit->status, what, fail);
}

/* The action is known: the original receipt for the same bytes, a refusal for others. */
static bool answer_again(struct service *service, struct ledger_audit *audit,
                         struct ledger_found *found, struct reply *reply, struct fail *fail)
{
    char digest[DIGEST_SIZE + 1];
    digest_of(audit->body, audit->body_size, digest);
    if (strcmp(digest, found->payload_digest) != 0) {
        audit->status = service->profile->is_ietf ? STATUS_UNPROCESSABLE : STATUS_CONFLICT;
        audit->outcome = "other-payload";
        return refuse(service, audit, "this action was requested with another payload", reply,
                      fail);
    }
    audit->status = 200;
    audit->outcome = "replayed";
    if (!ledger_note(&service->ledger, audit, fail) ||
        !reply_text(reply, audit->status, found->receipt, fail))
        return false;
    found->receipt = NULL;
    return true;
}

static bool answer_first(struct service *service, struct ledger_audit *audit, struct reply *reply,
                         struct fail *fail)
{
    char digest[DIGEST_SIZE + 1];
    digest_of(audit->body, audit->body_size, digest);
    struct ledger_effect effect = {audit->action_id, audit->job_id, audit->body, audit->body_size,
                                   digest,           NULL,          now_ms(),    NULL};
    const struct receipt receipt = {effect.action_id, effect.job_id, digest,
                                    effect.committed_at_ms};
    const enum action_deed deed = service->profile->action;
    if (deed == ACTION_DIES_BEFORE)
        effect.before_commit = die;
    char *text = receipt_positive(&receipt);
    effect.receipt = text;
    audit->status = 201;
    audit->outcome = "created";
    const bool is_done =
        text ? ledger_act(&service->ledger, &effect, audit, fail) : fail_memory(fail);
    if (!is_done) {
        free(text);
        return false;
    }
    if (deed == ACTION_DIES_AFTER)
        die();
    return reply_text(reply, audit->status, text, fail);
}

static bool answer_known_or_new(struct service *service, struct ledger_audit *audit,
                                struct reply *reply, struct fail *fail)
{
    struct ledger_found found = {0};
    const enum action_deed deed = service->profile->action; /* as it is when the request comes */
    if (deed == ACTION_IN_FLIGHT)
        wait_for(service, service->delay_ms, true);
    if (!ledger_find(&service->ledger, audit->action_id, &found, fail))
        return false;
    const bool is_done = found.is_there ? answer_again(service, audit, &found, reply, fail)
                                        : answer_first(service, audit, reply, fail);
    free(found.receipt);
    if (!is_done)
        return false;
    if (deed == ACTION_LATE)
        wait_for(service, service->delay_ms, false);
    if (deed == ACTION_DROPPED)
        reply->end = REPLY_DROPPED;
    if (deed == ACTION_PARTIAL)
        reply->end = REPLY_HALF;
    return true;
}

bool action_answer(struct service *service, const struct request *request, struct reply *reply,
                   struct fail *fail)
{
    json_t *payload = json_loadb(request->body, request->body_size, JSON_REJECT_DUPLICATES, NULL);
    char *key = key_of(request);
    struct ledger_audit audit = {.kind = "ACTION",
                                 .job_id = json_string_value(json_object_get(payload, "job_id")),
                                 .action_id = key,
                                 .status = 400,
                                 .outcome = "malformed",
                                 .body = request->body,
                                 .body_size = request->body_size};
    struct in_flight running = {key, service->running};
    bool is_done = false;
    if (!key || !audit.job_id) {
        is_done = refuse(service, &audit,
                         "an action wants an Idempotency-Key in quotes, and JSON with a job_id",
                         reply, fail);
    } else if (service->profile->is_ietf && is_running(service, key)) {
        audit.status = STATUS_CONFLICT;
        audit.outcome = "running";
        is_done = refuse(service, &audit, "the first request is still running", reply, fail);
    } else {
        /* cppcheck-suppress autoVariables ; it is taken out again before this function ends */
        service->running = &running;
        if (service->profile->is_ietf && service->run_ms > 0)
            wait_for(service, service->run_ms, false);
        is_done = answer_known_or_new(service, &audit, reply, fail);
        remove_running(service, &running);
    }
    json_decref(payload);
    free(key);
    return is_done;
}
