/* event.h - one transition of a job, as it stands in the log: nine fields, compact JSON.
 *
 * Attempt and step give the order of a job's events. The time is for people: nothing is ordered or
 * decided by it. */
#ifndef TICKET_EVENT_H
#define TICKET_EVENT_H

#include <jansson.h>
#include <stdint.h>

#include "fail.h"

enum event_type {
    EVENT_STARTED,
    EVENT_COMPUTE_STARTED,
    EVENT_COMPUTE_FINISHED,
    EVENT_ACTION_REQUESTED,
    EVENT_ACTION_CONFIRMED,
    EVENT_RECONCILED,
    EVENT_COMPLETED,
    EVENT_HOLD_UNKNOWN,
    EVENT_TYPES, /* how many there are */
};

/* The texts belong to `root` when there is one, else to the caller. */
struct event {
    const char *job_id;
    const char *event_id;
    int attempt;
    int step;
    enum event_type type;
    const char *action_id;      /* NULL: the event is about no action */
    const char *payload_digest; /* likewise */
    int64_t emitted_at_ms;
    const char *detail; /* NULL: nothing more to say */
    json_t *root;
};

const char *event_type_name(enum event_type type);

/* The JSON of it, without a line feed, for the caller to free; NULL: no memory. */
char *event_write(const struct event *event);

/* Takes exactly the nine fields with values that fit; anything else is EXIT_CODE_REFUSED. */
bool event_read(struct event *event, const char *text, size_t size, struct fail *fail);
void event_fini(struct event *event);

/* The name of the first field in which they differ, or NULL. */
const char *event_difference(const struct event *a, const struct event *b);

#endif
