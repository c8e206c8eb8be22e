/* client.h - the worker's requests to the service.
 *
 * Each request has a connection of its own: on one that is used again libcurl may send a request a
 * second time by itself. No redirects, no proxies, one time limit for the whole of a request. */
#ifndef TICKET_CLIENT_H
#define TICKET_CLIENT_H

#include <stddef.h>

#include "fail.h"
#include "job.h"

enum { CLIENT_PROBLEM_SIZE = 256, CLIENT_WORD_SIZE = 64 };

struct client {
    void *curl;      /* NULL: not open */
    const char *url; /* borrowed; without a slash at its end */
    int timeout_ms;
};

struct client_answer {
    bool is_whole; /* false: `problem` says what became of it */
    long status;
    char *body; /* to be freed by client_answer_fini; with a NUL behind it */
    size_t size;
    char problem[CLIENT_PROBLEM_SIZE];
};

struct client_action {
    const char *action_id;
    const char *payload;
    size_t payload_size;
};

bool client_open(struct client *client, const char *url, int timeout_ms, struct fail *fail);
void client_close(struct client *client);
void client_answer_fini(struct client_answer *answer);

/* Asks what the ticket needs. False: there is no usable answer. */
bool client_classify(struct client *client, const struct job *job, char out[CLIENT_WORD_SIZE],
                     struct fail *fail);

/* These two fail only when nothing was sent. What the service said, or that nobody knows, is in
 * the answer, which is {0} before. */
bool client_look_up(struct client *client, const char *action_id, struct client_answer *answer,
                    struct fail *fail);
bool client_act(struct client *client, const struct client_action *action,
                struct client_answer *answer, struct fail *fail);

#endif
