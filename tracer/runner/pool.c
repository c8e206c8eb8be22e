#include "pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "pids.h"
#include "stage.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/recoveries.h"

/* How long an interrupt may go unnoticed that came just before waiting. */
enum { LOOK_UP_MS = 100 };

struct pool {
    struct work *work;
    struct pool_outcome *outcome;
    struct slot *slots;
    uint32_t count; /* started */
    uint32_t living;
    bool is_called_off; /* slots were told to end at once */
    struct err err;     /* the first */
};

static void call_off(struct pool *pool)
{
    board_stop(pool->work->board);
    for (uint32_t i = 0; i < pool->count && !pool->is_called_off; i++) {
        if (pool->slots[i].mail.fd >= 0)
            shutdown(pool->slots[i].mail.fd, SHUT_WR);
    }
    pool->is_called_off = true;
}

static void take_verdict(struct pool *pool, const struct verdict *verdict)
{
    const struct job_options *options = pool->work->options;
    pool->outcome->verdicts[verdict->state] = *verdict;
    pool->outcome->done++;
    if (options->done)
        options->done(options->context, verdict);
}

static void take_recorded(struct pool *pool, const struct mail *mail)
{
    struct job_recording *recording = pool->work->recording;
    const struct trace_recovery about =
        recoveries_of_state(&pool->work->states[mail->state], mail->state);
    struct trace recorded;
    trace_init(&recorded);
    pool->outcome->done++;
    if (!mail->bytes) {
        recording->unended += mail->is_unended;
        recording->unbegun += !mail->is_unended;
    } else {
        CHECK(recoveries_unpack(mail->bytes, mail->size, &recorded));
        recoveries_add(recording->trace, &recorded, recording->nodes_before, &about);
    }
    trace_fini(&recorded);
    free(mail->bytes);
}

static void take_mail(struct pool *pool, struct slot *slot, struct mail *mail)
{
    switch (mail->kind) {
    case MAIL_VERDICT:
        take_verdict(pool, &mail->verdict);
        return;
    case MAIL_ERR:
        if (pool->err.kind == ERR_NONE)
            pool->err = mail->err;
        call_off(pool);
        return;
    case MAIL_NOTE:
        stage_add_note(&pool->outcome->note, mail->note);
        free(mail->note);
        return;
    case MAIL_RECORDED:
        take_recorded(pool, mail);
        return;
    case MAIL_DONE:
        slot->is_done = true;
        return;
    }
    UNREACHABLE("a mail of no kind");
}

/* How a slot ended that did not say goodbye. The outer process passes on the inner one's signal as
 * an exit status. */
static void put_down_crash(struct pool *pool, uint32_t number, int status)
{
    uint64_t index = 0;
    const struct work *work = pool->work;
    const bool is_known = board_current(work->board, number, &index);
    const char *id = is_known ? work->states[work->order[index]].id : "none";
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) > 128)
        signal_number = WEXITSTATUS(status) - 128;
    if (pool->err.kind == ERR_NONE && signal_number != 0)
        err_harness(&pool->err, "state %s: its slot was killed by signal %d", id, signal_number);
    if (pool->err.kind == ERR_NONE)
        err_harness(&pool->err, "state %s: its slot ended with status %#x", id, (unsigned)status);
    call_off(pool);
}

static void bury(struct pool *pool, uint32_t number)
{
    struct slot *slot = &pool->slots[number];
    int status = 0;
    mailbox_fini(&slot->mail);
    while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    pool->living--;
    if (!slot->is_done)
        put_down_crash(pool, number, status);
}

static void listen_to(struct pool *pool, uint32_t number)
{
    struct slot *slot = &pool->slots[number];
    const bool is_open = mailbox_receive(&slot->mail);
    struct mail mail;
    while (is_open && mailbox_take(&slot->mail, &mail))
        take_mail(pool, slot, &mail);
    if (!is_open)
        bury(pool, number);
}

static bool is_interrupted(const struct pool *pool)
{
    const volatile sig_atomic_t *flag = pool->work->options->interrupted;
    return flag && *flag;
}

static void listen_to_all(struct pool *pool)
{
    struct pollfd *fds OWN(own_mem) = mem_new(pool->count, sizeof *fds);
    while (pool->living > 0) {
        for (uint32_t i = 0; i < pool->count; i++)
            fds[i] = (struct pollfd){.fd = pool->slots[i].mail.fd, .events = POLLIN};
        const int ready = poll(fds, pool->count, LOOK_UP_MS);
        if (is_interrupted(pool))
            call_off(pool);
        for (uint32_t i = 0; ready > 0 && i < pool->count; i++) {
            if (fds[i].revents)
                listen_to(pool, i);
        }
    }
}

static void run_slots(struct pool *pool, const struct stage *stage)
{
    pool->slots = mem_new(stage->slots, sizeof *pool->slots);
    for (uint32_t i = 0; i < stage->slots && pool->err.kind == ERR_NONE; i++) {
        const char *folder = stage->folders ? stage->folders[i] : NULL;
        if (!slot_start(pool->work, pool->slots, i, folder, &pool->err))
            break;
        pool->count++;
        pool->living++;
    }
    if (pool->err.kind != ERR_NONE)
        call_off(pool);
    listen_to_all(pool);
    free(pool->slots);
}

static uint32_t slots_wanted(const struct work *work)
{
    uint64_t wanted = work->options->jobs ? work->options->jobs : 1;
    wanted = wanted < work->count ? wanted : work->count;
    return wanted < BOARD_SLOTS_MAX ? (uint32_t)wanted : BOARD_SLOTS_MAX;
}

bool pool_run(struct work *work, struct pool_outcome *outcome, struct err *err)
{
    CHECK(work->options->recover || work->options->check || work->replay);
    struct pool pool = {.work = work, .outcome = outcome};
    struct stage stage;
    if (work->count == 0)
        return true;
    if (stage_set(&stage, work->options, slots_wanted(work), &pool.err)) {
        work->board = board_new(work->count, stage.slots);
        if (work->board) {
            work->promises = stage.promises;
            work->is_isolated = stage.is_isolated;
            work->pid_base = pids_base(work->options->trace);
            run_slots(&pool, &stage);
        } else {
            err_system(&pool.err, "share memory with slots");
        }
        board_free(work->board);
        work->board = NULL;
    }
    if (stage.note)
        stage_add_note(&outcome->note, stage.note);
    struct err later = {0};
    if (!stage_strike(&stage, &later) && pool.err.kind == ERR_NONE)
        pool.err = later;
    if (pool.err.kind == ERR_NONE)
        return true;
    *err = pool.err;
    return false;
}
