#include "history.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

void history_fini(struct history *history)
{
    for (size_t i = 0; i < history->count; i++)
        event_fini(&history->events[i]);
    free(history->events);
    *history = (struct history){0};
}

static const struct event *find(const struct history *history, const char *event_id)
{
    for (size_t i = history->count; i > 0; i--) {
        if (strcmp(history->events[i - 1].event_id, event_id) == 0)
            return &history->events[i - 1];
    }
    return NULL;
}

/* The room doubles whenever the count is a power of two. */
static bool grow(struct history *history, struct fail *fail)
{
    if (history->count >= FIRST_ROOM && (history->count & (history->count - 1)) != 0)
        return true;
    const size_t room = history->count < FIRST_ROOM ? FIRST_ROOM : 2 * history->count;
    struct event *events = realloc(history->events, room * sizeof *events);
    if (!events)
        return fail_memory(fail);
    history->events = events;
    return true;
}

bool history_take(void *context, const char *text, size_t size, struct fail *fail)
{
    struct history *history = context;
    struct event event = {0};
    if (!event_read(&event, text, size, fail))
        return false;
    const struct event *known = find(history, event.event_id);
    if (known) {
        const char *field = event_difference(known, &event);
        if (field) {
            fail_with(fail, EXIT_CODE_REFUSED,
                      "conflict: event %.200s stands there twice, with "
                      "another %s",
                      event.event_id, field);
        }
        event_fini(&event);
        history->raw += field == NULL;
        return !field;
    }
    if (!grow(history, fail)) {
        event_fini(&event);
        return false;
    }
    history->events[history->count++] = event;
    history->raw++;
    return true;
}

static bool take_intent(struct history_job *job, const struct event *event, struct fail *fail)
{
    if (!event->action_id || !event->payload_digest || !event->detail) {
        return fail_with(fail, EXIT_CODE_REFUSED, "event %.200s lacks its request",
                         event->event_id);
    }
    if (job->intent && (strcmp(job->intent->action_id, event->action_id) != 0 ||
                        strcmp(job->intent->payload_digest, event->payload_digest) != 0))
        return fail_with(fail, EXIT_CODE_REFUSED, "the job has two intents that differ");
    if (!job->intent)
        job->intent = event;
    return true;
}

static bool take_event(struct history_job *job, const struct event *event, struct fail *fail)
{
    if (event->attempt > job->last_attempt)
        job->last_attempt = event->attempt;
    switch (event->type) {
    case EVENT_COMPUTE_FINISHED:
        job->result = event;
        return event->detail ||
               fail_with(fail, EXIT_CODE_REFUSED, "event %.200s lacks its result", event->event_id);
    case EVENT_ACTION_REQUESTED:
        return take_intent(job, event, fail);
    case EVENT_ACTION_CONFIRMED:
        job->confirmed = event;
        return true;
    case EVENT_COMPLETED:
        job->completed = event;
        return true;
    case EVENT_STARTED:
    case EVENT_COMPUTE_STARTED:
    case EVENT_RECONCILED:
    case EVENT_HOLD_UNKNOWN:
    case EVENT_TYPES:
        break;
    }
    return true;
}

bool history_reduce(const struct history *history, const char *job_id, struct history_job *job,
                    struct fail *fail)
{
    *job = (struct history_job){0};
    for (size_t i = 0; i < history->count; i++) {
        const struct event *event = &history->events[i];
        if (strcmp(event->job_id, job_id) == 0 && !take_event(job, event, fail))
            return false;
    }
    return true;
}
