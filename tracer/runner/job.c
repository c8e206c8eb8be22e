#include "job.h"

#include <stdio.h>
#include <stdlib.h>

#include "pool.h"

bool job_run(const struct job_options *options, const struct job_states *states, bool *complete,
             char **note, struct err *err)
{
    struct work work = {.options = options,
                        .states = states->items,
                        .order = states->order,
                        .count = states->count,
                        .keep_fd = -1};
    struct pool_outcome outcome = {.verdicts = states->verdicts};
    const bool is_done = pool_run(&work, &outcome, err);
    *complete = is_done && outcome.done == states->count;
    *note = outcome.note;
    return is_done;
}

bool job_record(const struct job_options *options, const struct job_states *states,
                struct job_recording *recording, struct err *err)
{
    /* One slot: the places of the recorded bytes in the payload file follow one another. */
    struct job_options one = *options;
    one.jobs = 1;
    one.done = NULL;
    recording->nodes_before = recording->trace->nodes;
    struct work work = {.options = &one,
                        .states = states->items,
                        .order = states->order,
                        .count = states->count,
                        .recording = recording,
                        .keep_fd = -1};
    struct pool_outcome outcome = {.verdicts = states->verdicts};
    const bool is_done = pool_run(&work, &outcome, err);
    recording->complete = is_done && outcome.done == states->count;
    recording->note = outcome.note;
    return is_done;
}

/* The state of the complete run with every promise kept. */
static struct state final_state(const struct trace *trace, const char *id)
{
    const struct trace_promised promised = trace_promised(trace, trace->count);
    struct state state = {.model = MODEL_KILL,
                          .op = trace->count,
                          .acked_bytes = promised.acked_bytes,
                          .sent_messages = promised.sent_messages};
    snprintf(state.id, sizeof state.id, "%s", id);
    return state;
}

bool job_canary(const struct job_options *options, enum canary *out, struct err *err)
{
    static const enum harm harms[] = {HARM_GONE, HARM_EMPTIED, HARM_FLIPPED};
    static const uint32_t order[] = {0, 1, 2};
    enum { HARMS = sizeof harms / sizeof *harms };
    *out = CANARY_OFF;
    if (!options->check)
        return true;
    struct state states[HARMS];
    struct verdict verdicts[HARMS] = {0};
    for (size_t i = 0; i < HARMS; i++)
        states[i] = final_state(options->trace, "canary");
    struct job_options quiet = *options;
    quiet.done = NULL;
    struct work work = {.options = &quiet,
                        .states = states,
                        .order = order,
                        .harms = harms,
                        .count = HARMS,
                        .keep_fd = -1};
    struct pool_outcome outcome = {.verdicts = verdicts};
    const bool is_done = pool_run(&work, &outcome, err);
    bool is_noticed = false;
    for (size_t i = 0; i < HARMS; i++) {
        is_noticed |= verdicts[i].kind > VERDICT_HELD;
        free(verdicts[i].output);
        free(verdicts[i].why);
    }
    free(outcome.note);
    if (is_done && outcome.done == HARMS)
        *out = is_noticed ? CANARY_NOTICED : CANARY_UNNOTICED;
    return is_done;
}
