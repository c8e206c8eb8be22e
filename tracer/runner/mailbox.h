/* mailbox.h - what slots tell the job, over a stream socket, in batches. */
#ifndef RUNNER_MAILBOX_H
#define RUNNER_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include "tracer/base/err.h"
#include "tracer/trace/verdict.h"

enum mail_kind {
    MAIL_VERDICT,  /* one state is done */
    MAIL_ERR,      /* the slot could not go on; its last word */
    MAIL_NOTE,     /* a line for the user */
    MAIL_RECORDED, /* a recovery was recorded on a state, or not */
    MAIL_DONE,     /* the slot has ended in order */
};

struct mail {
    enum mail_kind kind;
    struct verdict verdict; /* its texts are the reader's to free or keep */
    struct err err;
    char *note;  /* the reader's */
    char *bytes; /* the reader's: a packed recording (recoveries.h); NULL: there is none */
    size_t size;
    uint32_t state;
    bool is_unended; /* because the recovery did not end in time */
};

/* The bytes at one end: being collected for sending, or received and not read yet. */
struct mailbox {
    int fd;
    char *bytes;
    size_t size, capacity;
    size_t read; /* taken out so far */
    int64_t sent_ns;
};

void mailbox_init(struct mailbox *mailbox, int fd); /* takes fd over */
void mailbox_fini(struct mailbox *mailbox);

/* Collect; nothing is sent before mailbox_send. */
void mailbox_put_verdict(struct mailbox *mailbox, const struct verdict *verdict);
void mailbox_put_err(struct mailbox *mailbox, const struct err *err);
void mailbox_put_note(struct mailbox *mailbox, const char *note);
void mailbox_put_recorded(struct mailbox *mailbox, const struct mail *mail); /* its last fields */
void mailbox_put_done(struct mailbox *mailbox);

/* Sends all. false: the other end is gone. */
bool mailbox_send(struct mailbox *mailbox);

/* Sends when enough has come together, or some time has passed. */
bool mailbox_send_some(struct mailbox *mailbox);

/* Reads what is there; false at the end. */
bool mailbox_receive(struct mailbox *mailbox);

/* The next whole message; false when there is none. */
bool mailbox_take(struct mailbox *mailbox, struct mail *out);

#endif
