/* worker.h - one execution of one job: from what its log says to COMPLETED, or to a hold.
 *
 * The log is the only authority for what was intended; the service is the only one for what was
 * done. The parts below are files of their own, so that a faulty worker differs in exactly one. */
#ifndef TICKET_WORKER_H
#define TICKET_WORKER_H

#include "client.h"
#include "history.h"
#include "judge.h"
#include "writer.h"

struct worker {
    struct log *log;
    struct job job;
    struct client client;
    struct writer writer;
    struct history history;
    int timeout_ms;
};

/* Reads the log to its end, then does what is left to do. */
bool worker_run(struct worker *worker, struct fail *fail);

/* The intent of an earlier attempt, as it was saved; EXIT_CODE_REFUSED when its bytes are not the
 * ones of its digest. */
bool intent_take(struct worker *worker, const struct event *event, struct intent *intent,
                 struct fail *fail);

/* Asks the service about the action. The answer is {0} before, and to be freed by the caller. */
bool ask_service(struct worker *worker, const struct intent *intent, struct client_answer *answer,
                 struct judgement *judgement, struct fail *fail);

/* Makes the intent durable, and only then sends it. */
bool request_action(struct worker *worker, const struct intent *intent, struct fail *fail);

/* Sends the intent, which is durable, and settles what is answered. */
bool send_action(struct worker *worker, const struct intent *intent, struct fail *fail);

enum settle_source { SETTLE_ACTION, SETTLE_LOOK_UP };

/* Validates the receipt and only then records it: RECONCILED after a look-up, ACTION_CONFIRMED,
 * COMPLETED. An answer that proves nothing is held. */
bool settle_receipt(struct worker *worker, const struct intent *intent,
                    const struct client_answer *answer, enum settle_source source,
                    struct fail *fail);

/* Records HOLD_UNKNOWN with the reason, and returns false with EXIT_CODE_HELD. */
bool worker_hold(struct worker *worker, const struct intent *intent, const char *reason,
                 struct fail *fail);

#endif
