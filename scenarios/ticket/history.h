/* history.h - what a log says, reduced: each event id once, in the order of the log.
 *
 * The same event twice is one event. Two different events with one id are a conflict: nobody can
 * say which of them is true, and nothing may be done on the ground of either. */
#ifndef TICKET_HISTORY_H
#define TICKET_HISTORY_H

#include <stddef.h>

#include "event.h"

struct history {
    struct event *events;
    size_t count;
    size_t raw; /* how many records were taken */
};

/* What the events of one job come to. The pointers are into the history; NULL: there is none. */
struct history_job {
    int last_attempt; /* 0: never started */
    const struct event *result;
    const struct event *intent;
    const struct event *confirmed;
    const struct event *completed;
};

void history_fini(struct history *history);

/* Has the form that log_read_all wants: the context is the history, the text one event. */
bool history_take(void *context, const char *text, size_t size, struct fail *fail);

/* EXIT_CODE_REFUSED: the job has two intents that differ, or an intent without its bytes. */
bool history_reduce(const struct history *history, const char *job_id, struct history_job *job,
                    struct fail *fail);

#endif
