/* service.h - the follow-up service without its HTTP: requests in, replies out.
 *
 * Requests may come from many threads; they are serialised here. While one waits (a late answer, a
 * request in flight) the others go on. */
#ifndef TICKET_SERVICE_H
#define TICKET_SERVICE_H

#include <pthread.h>
#include <stddef.h>

#include "ledger.h"
#include "profile.h"

enum { SERVICE_CLASSIFIERS = 3 }; /* different answers that --classifier may ask for */

struct service {
    struct ledger ledger;
    const struct profile *profile;       /* the one in force */
    const struct profile *first_profile; /* the one that a reset goes back to */
    int classifier;                      /* so many different answers, one after the other */
    int delay_ms;                        /* of late answers and of requests in flight */
    int run_ms;                          /* how long a first request runs under ietf */
    pthread_mutex_t lock;                /* over all of this */
    pthread_cond_t looked_up;
    unsigned lookups;          /* answered so far */
    struct in_flight *running; /* actions that are being done */
};

enum reply_end {
    REPLY_WHOLE,
    REPLY_HALF,    /* the connection ends in the middle of the body */
    REPLY_DROPPED, /* the connection ends without an answer */
};

struct reply {
    int status;
    char *body; /* to be freed; NULL only in a reply that failed */
    const char *type;
    enum reply_end end;
};

struct request {
    const char *method;
    const char *path;
    const char *idempotency_key; /* the header's value, or NULL */
    const char *body;            /* with a NUL behind it */
    size_t body_size;
};

void service_init(struct service *service);

/* False: the service could not do its own part; the client gets a 500 without a receipt. */
bool service_answer(struct service *service, const struct request *request, struct reply *reply,
                    struct fail *fail);

/* The three parts of it that touch the ledger; called with the lock held. */
bool classify_answer(struct service *service, const struct request *request, struct reply *reply,
                     struct fail *fail);
bool lookup_answer(struct service *service, const char *action_id, struct reply *reply,
                   struct fail *fail);
bool action_answer(struct service *service, const struct request *request, struct reply *reply,
                   struct fail *fail);

/* Fills a reply by a small JSON object: {"error": what}, as problem+json where the profile says. */
bool reply_error(struct reply *reply, int status, const char *what, struct fail *fail);

/* Gives the text, which may be NULL, to the reply. */
bool reply_text(struct reply *reply, int status, char *text, struct fail *fail);

#endif
