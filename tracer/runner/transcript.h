/* transcript.h - what the recovery does on the state that a slot's directory stands at.
 *
 * The slot is the isolated place; the recovery runs in it under the recorder, as the worker did.
 * What it did is added to the slot's own copy of the trace, for the self-check, and handed on as
 * bytes, so that brink can add it to the trace itself. */
#ifndef RUNNER_TRANSCRIPT_H
#define RUNNER_TRANSCRIPT_H

#include "attempt.h"
#include "mailbox.h"
#include "tracer/states/walker.h"
#include "tracer/trace/recoveries.h"

struct transcript {
    struct attempt *attempt;
    struct walker *walker;
    struct job_recording *recording; /* the slot's own copy: it is changed */
    const volatile sig_atomic_t *interrupted;
};

/* The walker and the directory stand at the state that *about names. Fills the last fields of *out,
 * whose bytes the caller frees; bytes are NULL when there is nothing to tell, and *is_cancelled
 * when the slot is to end. The directory is as before afterwards. */
MUST_USE bool transcript_take(struct transcript *transcript, const struct trace_recovery *about,
                              struct mail *out, bool *is_cancelled, struct err *err);

#endif
