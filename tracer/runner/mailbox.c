#include "mailbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "tracer/base/check.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { BATCH_SIZE = 32768, BATCH_MS = 50, RECEIVE_SIZE = 1 << 16 };

/* Both ends are one program: plain memory goes over. The texts follow the head. */
struct head {
    enum mail_kind kind;
    uint32_t output_size, why_size; /* UINT32_MAX: NULL */
    bool is_unended;
    struct verdict verdict;
};

void mailbox_init(struct mailbox *mailbox, int fd)
{
    *mailbox = (struct mailbox){.fd = fd, .sent_ns = clock_now()};
}

void mailbox_fini(struct mailbox *mailbox)
{
    own_close_now(&mailbox->fd);
    free(mailbox->bytes);
    mailbox->bytes = NULL;
}

static void put(struct mailbox *mailbox, const void *bytes, size_t size)
{
    mem_grow(&mailbox->bytes, &mailbox->capacity, mailbox->size + size, 1);
    if (size > 0)
        memcpy(mailbox->bytes + mailbox->size, bytes, size);
    mailbox->size += size;
}

static uint32_t text_size(const char *text)
{
    return text ? (uint32_t)strlen(text) : UINT32_MAX;
}

static void put_text(struct mailbox *mailbox, const char *text)
{
    if (text)
        put(mailbox, text, strlen(text));
}

void mailbox_put_verdict(struct mailbox *mailbox, const struct verdict *verdict)
{
    const struct head head = {.kind = MAIL_VERDICT,
                              .output_size = text_size(verdict->output),
                              .why_size = text_size(verdict->why),
                              .verdict = *verdict};
    put(mailbox, &head, sizeof head);
    put_text(mailbox, verdict->output);
    put_text(mailbox, verdict->why);
}

void mailbox_put_err(struct mailbox *mailbox, const struct err *err)
{
    const struct head head = {.kind = MAIL_ERR, .output_size = sizeof *err, .why_size = UINT32_MAX};
    put(mailbox, &head, sizeof head);
    put(mailbox, err, sizeof *err);
}

void mailbox_put_note(struct mailbox *mailbox, const char *note)
{
    const struct head head = {
        .kind = MAIL_NOTE, .output_size = text_size(note), .why_size = UINT32_MAX};
    put(mailbox, &head, sizeof head);
    put_text(mailbox, note);
}

void mailbox_put_recorded(struct mailbox *mailbox, const struct mail *mail)
{
    const struct head head = {.kind = MAIL_RECORDED,
                              .output_size = mail->bytes ? (uint32_t)mail->size : UINT32_MAX,
                              .why_size = UINT32_MAX,
                              .verdict = {.state = mail->state},
                              .is_unended = mail->is_unended};
    CHECK(mail->size < UINT32_MAX);
    put(mailbox, &head, sizeof head);
    if (mail->bytes)
        put(mailbox, mail->bytes, mail->size);
}

void mailbox_put_done(struct mailbox *mailbox)
{
    const struct head head = {.kind = MAIL_DONE, .output_size = UINT32_MAX, .why_size = UINT32_MAX};
    put(mailbox, &head, sizeof head);
}

bool mailbox_send(struct mailbox *mailbox)
{
    size_t done = 0;
    while (done < mailbox->size) {
        const ssize_t sent =
            send(mailbox->fd, mailbox->bytes + done, mailbox->size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        done += sent < 0 ? 0 : (size_t)sent;
    }
    mailbox->size = 0;
    mailbox->sent_ns = clock_now();
    return true;
}

bool mailbox_send_some(struct mailbox *mailbox)
{
    const bool is_due = mailbox->size >= BATCH_SIZE ||
                        clock_now() - mailbox->sent_ns >= (int64_t)BATCH_MS * CLOCK_MS;
    return !is_due || mailbox_send(mailbox);
}

bool mailbox_receive(struct mailbox *mailbox)
{
    if (mailbox->read == mailbox->size) {
        mailbox->read = 0;
        mailbox->size = 0;
    } else if (mailbox->read > 0) {
        memmove(mailbox->bytes, mailbox->bytes + mailbox->read, mailbox->size - mailbox->read);
        mailbox->size -= mailbox->read;
        mailbox->read = 0;
    }
    mem_grow(&mailbox->bytes, &mailbox->capacity, mailbox->size + RECEIVE_SIZE, 1);
    const ssize_t got = recv(mailbox->fd, mailbox->bytes + mailbox->size, RECEIVE_SIZE, 0);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return false;
    mailbox->size += (size_t)got;
    return true;
}

static size_t plain_size(uint32_t size)
{
    return size == UINT32_MAX ? 0 : size;
}

/* A copy of the text at `at`, NULL for none. */
static char *take_text(const char *at, uint32_t size)
{
    return size == UINT32_MAX ? NULL : mem_range(at, size);
}

bool mailbox_take(struct mailbox *mailbox, struct mail *out)
{
    struct head head;
    const size_t left = mailbox->size - mailbox->read;
    if (left < sizeof head)
        return false;
    const char *at = mailbox->bytes + mailbox->read;
    memcpy(&head, at, sizeof head);
    const size_t size = sizeof head + plain_size(head.output_size) + plain_size(head.why_size);
    if (left < size)
        return false;
    mailbox->read += size;
    at += sizeof head;
    *out = (struct mail){.kind = head.kind};
    switch (head.kind) {
    case MAIL_VERDICT:
        out->verdict = head.verdict;
        out->verdict.output = take_text(at, head.output_size);
        out->verdict.why = take_text(at + plain_size(head.output_size), head.why_size);
        return true;
    case MAIL_ERR:
        memcpy(&out->err, at, sizeof out->err);
        return true;
    case MAIL_NOTE:
        out->note = take_text(at, head.output_size);
        return true;
    case MAIL_RECORDED:
        out->state = head.verdict.state;
        out->is_unended = head.is_unended;
        out->size = plain_size(head.output_size);
        out->bytes = head.output_size == UINT32_MAX ? NULL : take_text(at, head.output_size);
        return true;
    case MAIL_DONE:
        return true;
    }
    UNREACHABLE("a mail of no kind");
}
