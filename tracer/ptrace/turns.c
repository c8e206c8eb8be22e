#include "turns.h"

#include <stdlib.h>

#include "about.h"
#include "locks.h"
#include "tracer/base/mem.h"
#include "tracer/trace/barrier_matcher.h"
#include "visit.h"

struct party {
    uint32_t alive; /* processes */
    bool has_come;  /* to a lock */
    bool has_taken; /* one, in its turn */
};

/* Parties are numbered from 1 in order of start; 0 is the worker's first process. */
struct turns {
    const struct record_locks *asked;
    struct barrier_matcher *matcher; /* of asked->also; NULL: there is none */
    struct party *parties;
    uint32_t started;
    uint32_t at;  /* whose turn it is in the order */
    bool is_open; /* all have come or ended */
};

static bool is_order(const struct record_locks *asked)
{
    uint8_t *seen = mem_new((size_t)asked->count + 1, 1);
    bool is_right = asked->count > 0;
    for (uint32_t i = 0; is_right && i < asked->count; i++) {
        const uint32_t number = asked->order[i];
        is_right = number < asked->count && !seen[number];
        seen[number < asked->count ? number : 0] = 1;
    }
    free(seen);
    return is_right;
}

bool turns_new(const struct record_locks *asked, const struct trace *trace, struct turns **out,
               struct err *err)
{
    *out = NULL;
    if (asked == NULL)
        return true;
    if (!is_order(asked)) {
        return err_usage(err, "the order of locks must name each of 0 to %u once",
                         asked->count == 0 ? 0 : asked->count - 1);
    }
    struct turns *turns = mem_new(1, sizeof *turns);
    const struct barrier_source source = barrier_source_of(trace);
    turns->asked = asked;
    if (asked->also != NULL)
        turns->matcher = barrier_matcher_new(asked->also, trace, &source);
    turns->parties = mem_new((size_t)asked->count + 1, sizeof *turns->parties);
    *out = turns;
    return true;
}

void turns_free(struct turns *turns)
{
    if (turns == NULL)
        return;
    barrier_matcher_free(turns->matcher);
    free(turns->parties);
    free(turns);
}

bool turns_born(struct recorder *recorder, struct process *process, const struct process *maker,
                struct err *err)
{
    struct turns *turns = recorder->turns;
    if (turns == NULL)
        return true;
    process->party = maker->party;
    if (maker->pid == recorder->main_pid)
        process->party = ++turns->started;
    if (process->party > turns->asked->count) {
        return err_usage(err,
                         "the order of locks is for %u processes, but the worker starts more of "
                         "them",
                         turns->asked->count);
    }
    turns->parties[process->party].alive++;
    return true;
}

static uint32_t party_at_turn(const struct turns *turns)
{
    return turns->at < turns->asked->count ? turns->asked->order[turns->at] + 1 : 0;
}

bool turns_must_wait(struct recorder *recorder, const struct tracee *tracee)
{
    struct turns *turns = recorder->turns;
    const uint32_t party = tracee->process->party;
    if (turns == NULL || party == 0)
        return false;
    turns->parties[party].has_come = true;
    if (!turns->is_open)
        return true;
    return turns->at < turns->asked->count && party_at_turn(turns) != party;
}

bool turns_look(struct recorder *recorder, struct tracee *tracee, bool *must_wait, struct err *err)
{
    uint64_t times = 0;
    if (recorder->turns == NULL || recorder->turns->matcher == NULL)
        return true;
    const struct op op = about_op(recorder, tracee);
    if (op.kind == OP_KIND_COUNT)
        return true;
    if (!barrier_matcher_ask(recorder->turns->matcher, &op, &times, err))
        return false;
    *must_wait = times > 0 && turns_must_wait(recorder, tracee);
    return true;
}

void turns_taken(struct recorder *recorder, uint32_t party)
{
    if (recorder->turns != NULL)
        recorder->turns->parties[party].has_taken = true;
}

void turns_ended(struct recorder *recorder, uint32_t party)
{
    if (recorder->turns != NULL && party != 0)
        recorder->turns->parties[party].alive--;
}

/* How many have come to a lock or ended. */
static uint32_t count_come(const struct turns *turns)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i <= turns->started; i++)
        count += turns->parties[i].has_come || turns->parties[i].alive == 0;
    return count;
}

static bool is_over(const struct recorder *recorder, uint32_t number)
{
    const struct party *party = &recorder->turns->parties[number];
    return party->alive == 0 || (party->has_taken && !locks_has_party(recorder, number));
}

/* The next thread that waits and may go on, or NULL. */
static struct tracee *find_next(const struct recorder *recorder)
{
    const struct turns *turns = recorder->turns;
    size_t at = 0;
    uint64_t tid, value;
    while (map_next(&recorder->tracees.by_tid, &at, &tid, &value)) {
        struct tracee *tracee = tracees_find(&recorder->tracees, (pid_t)tid);
        const bool is_free = turns->at == turns->asked->count;
        if (tracee->state == TRACEE_WAITING &&
            (is_free || tracee->process->party == party_at_turn(turns)))
            return tracee;
    }
    return NULL;
}

bool turns_go_on(struct recorder *recorder, struct err *err)
{
    struct turns *turns = recorder->turns;
    if (turns == NULL || recorder->is_killing)
        return true;
    if (!turns->is_open) {
        turns->is_open =
            turns->started == turns->asked->count && count_come(turns) == turns->started;
    }
    if (!turns->is_open)
        return true;
    while (turns->at < turns->asked->count && is_over(recorder, party_at_turn(turns)))
        turns->at++;
    for (;;) {
        struct tracee *next = recorder->is_killing ? NULL : find_next(recorder);
        if (next == NULL)
            return true;
        if (!visit_begin(recorder, next, err))
            return false;
    }
}

bool turns_check(const struct turns *turns, struct err *err)
{
    if (turns == NULL || turns->is_open)
        return true;
    return err_usage(err,
                     "the order of locks is for %u processes; the worker started %u, and %u of "
                     "these came to a lock or ended",
                     turns->asked->count, turns->started, count_come(turns));
}
