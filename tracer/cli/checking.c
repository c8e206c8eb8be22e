#include "checking.h"

#include "counts.h"
#include "interrupt.h"
#include "outputs.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { FLUSH_PERIOD_MS = 500 };

static void take_verdict(void *context, const struct verdict *verdict)
{
    struct checking *checking = context;
    const int64_t now = clock_now();
    progress_step(checking->progress, counts_is_violation(verdict->kind));
    if (checking->store_err.kind != ERR_NONE)
        return;
    bool is_stored = store_put_verdict(checking->store, verdict, &checking->store_err);
    if (is_stored && now - checking->flushed_ns > (int64_t)FLUSH_PERIOD_MS * CLOCK_MS) {
        is_stored = store_flush(checking->store, &checking->store_err);
        checking->flushed_ns = now;
    }
    if (!is_stored)
        interrupt_request();
}

/* The states that have no verdict yet. */
static uint32_t *unchecked(const struct run *run, size_t *count)
{
    uint32_t *order = mem_new(run->states_count + 1, sizeof *order);
    *count = 0;
    for (size_t i = 0; i < run->states_count; i++) {
        if (run->verdicts[i].kind == VERDICT_NONE)
            order[(*count)++] = (uint32_t)i;
    }
    return order;
}

bool checking_run(struct checking *checking, const struct job_options *options, struct err *err)
{
    struct run *run = checking->run;
    struct job_options job = *options;
    size_t count = 0;
    char *note = NULL;
    uint32_t *order OWN(own_mem) = unchecked(run, &count);
    job.done = take_verdict;
    job.context = checking;
    progress_begin(checking->progress, stderr, checking->is_quiet, count);
    checking->flushed_ns = clock_now();
    run->complete = true;
    const struct job_states states = {
        .items = run->states, .order = order, .count = count, .verdicts = run->verdicts};
    const bool is_done = count == 0 || job_run(&job, &states, &run->complete, &note, err);
    progress_end(checking->progress);
    if (note != NULL)
        outputs_note(run, note);
    checking->is_store_at_fault = checking->store_err.kind != ERR_NONE;
    if (checking->is_store_at_fault) {
        *err = checking->store_err;
        return false;
    }
    return is_done && store_flush(checking->store, err);
}
