#include "mailbox.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tracer/base/mem.h"

static struct mailbox from, to;

static void make(void)
{
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    mailbox_init(&from, ends[0]);
    mailbox_init(&to, ends[1]);
}

static void unmake(void)
{
    mailbox_fini(&from);
    mailbox_fini(&to);
}

TestSuite(mailbox, .init = make, .fini = unmake, .timeout = 20);

static struct mail next(void)
{
    struct mail mail;
    while (!mailbox_take(&to, &mail))
        cr_assert(mailbox_receive(&to), "the end came too early");
    return mail;
}

Test(mailbox, what_is_put_in_comes_out_in_order)
{
    struct err err = {0};
    err_usage(&err, "wrong");
    char output[] = "o\n";
    char why[] = "";
    struct verdict verdict = {
        .state = 7, .kind = VERDICT_VIOLATED, .check_status = 256, .output = output, .why = why};
    const struct verdict held = {.state = 8, .kind = VERDICT_HELD};
    mailbox_put_verdict(&from, &verdict);
    mailbox_put_verdict(&from, &held);
    mailbox_put_note(&from, "note");
    mailbox_put_err(&from, &err);
    mailbox_put_done(&from);
    cr_assert(mailbox_send(&from));
    struct mail mail = next();
    cr_assert_eq(mail.kind, MAIL_VERDICT);
    cr_assert_eq(mail.verdict.state, 7);
    cr_assert_eq(mail.verdict.check_status, 256);
    cr_assert_str_eq(mail.verdict.output, "o\n");
    cr_assert_str_eq(mail.verdict.why, "");
    free(mail.verdict.output);
    free(mail.verdict.why);
    mail = next();
    cr_assert_eq(mail.verdict.state, 8);
    cr_assert_null(mail.verdict.output);
    cr_assert_null(mail.verdict.why);
    mail = next();
    cr_assert_eq(mail.kind, MAIL_NOTE);
    cr_assert_str_eq(mail.note, "note");
    free(mail.note);
    mail = next();
    cr_assert_eq(mail.kind, MAIL_ERR);
    cr_assert_eq(mail.err.kind, ERR_USAGE);
    cr_assert_str_eq(mail.err.text, "wrong");
    cr_assert_eq(next().kind, MAIL_DONE);
}

Test(mailbox, a_message_larger_than_the_socket_arrives_whole)
{
    enum { SIZE = VERDICT_OUTPUT_MAX - 1 };
    char *text = mem_new(1, SIZE + 1);
    memset(text, 'x', SIZE);
    struct verdict verdict = {.output = text};
    if (fork() == 0) {
        for (int i = 0; i < 20; i++)
            mailbox_put_verdict(&from, &verdict);
        _exit(mailbox_send(&from) ? 0 : 1);
    }
    for (int i = 0; i < 20; i++) {
        struct mail mail = next();
        cr_assert_eq(strlen(mail.verdict.output), SIZE);
        free(mail.verdict.output);
    }
    free(text);
}

Test(mailbox, sending_to_nobody_is_told_and_no_signal)
{
    mailbox_fini(&to);
    mailbox_put_note(&from, "note");
    cr_assert_not(mailbox_send(&from));
}

Test(mailbox, the_end_of_the_sender_is_told)
{
    mailbox_fini(&from);
    cr_assert_not(mailbox_receive(&to));
}
