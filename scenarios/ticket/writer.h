/* writer.h - appends the transitions of one attempt, and says on stdout what is durable.
 *
 * One JSON line each, by one write call: WRITER_OPEN before the first append of a store's lifetime,
 * ACK with its five fields behind append, flush and success, RECEIPT_VALIDATED when the service's
 * receipt was found to be the one for this action and these bytes. */
#ifndef TICKET_WRITER_H
#define TICKET_WRITER_H

#include "event.h"
#include "job.h"
#include "log.h"

enum { WRITER_LIFETIME_SIZE = 16 };

struct writer {
    struct log *log;
    const struct job *job;
    int attempt;
    int step; /* of the last event; 0: none yet */
    int out_fd;
    int timeout_ms;
    char lifetime[WRITER_LIFETIME_SIZE + 1]; /* empty: not open yet */
};

/* The fields of an event that its place does not decide; NULL where it has none. */
struct writer_entry {
    enum event_type type;
    const char *action_id;
    const char *payload_digest;
    const char *detail;
};

bool writer_append(struct writer *writer, const struct writer_entry *entry, struct fail *fail);

/* The part of it that makes the event durable and then says so. */
bool commit_event(struct writer *writer, const struct event *event, const char *text,
                  struct fail *fail);

bool announce_open(const struct writer *writer, struct fail *fail);
bool announce_ack(const struct writer *writer, const struct event *event, struct fail *fail);
bool announce_receipt(const struct writer *writer, const char *action_id,
                      const char *payload_digest, struct fail *fail);

#endif
