#include "worker.h"

#include <stdlib.h>
#include <string.h>

#include "log_read.h"

static bool append(struct worker *worker, enum event_type type, const char *detail,
                   struct fail *fail)
{
    const struct writer_entry entry = {.type = type, .detail = detail};
    return writer_append(&worker->writer, &entry, fail);
}

bool worker_hold(struct worker *worker, const struct intent *intent, const char *reason,
                 struct fail *fail)
{
    const struct writer_entry hold = {EVENT_HOLD_UNKNOWN, intent->action_id, intent->digest,
                                      reason};
    return writer_append(&worker->writer, &hold, fail) &&
           fail_with(fail, EXIT_CODE_HELD, "held: %s", reason);
}

/* An intent stands in the log: the service is asked what became of it before anything is sent. */
static bool recover(struct worker *worker, const struct intent *intent, struct fail *fail)
{
    struct client_answer answer = {0};
    struct judgement judgement = {.verdict = JUDGE_UNKNOWN};
    bool is_done = ask_service(worker, intent, &answer, &judgement, fail);
    if (is_done) {
        switch (judgement.verdict) {
        case JUDGE_FOUND:
            is_done = settle_receipt(worker, intent, &answer, SETTLE_LOOK_UP, fail);
            break;
        case JUDGE_ABSENT:
            is_done = send_action(worker, intent, fail);
            break;
        case JUDGE_UNKNOWN:
            is_done = worker_hold(worker, intent, judgement.reason, fail);
            break;
        }
    }
    client_answer_fini(&answer);
    return is_done;
}

static bool act(struct worker *worker, const char *classification, struct fail *fail)
{
    char *payload = job_request(&worker->job, classification);
    if (!payload)
        return fail_memory(fail);
    struct intent intent = {worker->job.action_id, payload, strlen(payload), ""};
    digest_of(payload, intent.payload_size, intent.digest);
    const bool is_done = request_action(worker, &intent, fail);
    free(payload);
    return is_done;
}

/* Nothing is known yet but, perhaps, what the ticket needs. */
static bool begin(struct worker *worker, const struct event *result, struct fail *fail)
{
    char classification[CLIENT_WORD_SIZE];
    if (result)
        return act(worker, result->detail, fail);
    return append(worker, EVENT_COMPUTE_STARTED, NULL, fail) &&
           client_classify(&worker->client, &worker->job, classification, fail) &&
           append(worker, EVENT_COMPUTE_FINISHED, classification, fail) &&
           act(worker, classification, fail);
}

/* Refuses what must be refused before the first event of this attempt stands in the log. */
static bool attempt(struct worker *worker, const struct history_job *job, struct fail *fail)
{
    struct intent intent = {0};
    if (job->intent && !intent_take(worker, job->intent, &intent, fail))
        return false;
    worker->writer.attempt = job->last_attempt + 1;
    if (!append(worker, EVENT_STARTED, NULL, fail))
        return false;
    if (job->confirmed && job->intent) {
        const struct writer_entry completed = {EVENT_COMPLETED, intent.action_id, intent.digest,
                                               NULL};
        return writer_append(&worker->writer, &completed, fail);
    }
    return job->intent ? recover(worker, &intent, fail) : begin(worker, job->result, fail);
}

bool worker_run(struct worker *worker, struct fail *fail)
{
    const struct log_reader reader = {history_take, &worker->history, worker->timeout_ms};
    struct history_job job;
    if (!log_read_all(worker->log, &reader, fail) ||
        !history_reduce(&worker->history, worker->job.job_id, &job, fail))
        return false;
    return job.completed || attempt(worker, &job, fail);
}
