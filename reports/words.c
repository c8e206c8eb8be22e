#include "words.h"

#include <stdio.h>
#include <string.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

static const char usual_folder[] = "brink-out";

const char *words_result(const struct run *run)
{
    switch (run_result(run)) {
    case RUN_HELD:
        return "held";
    case RUN_VIOLATED:
        return "violated";
    case RUN_PARTIAL:
        return "partial";
    }
    UNREACHABLE("run result");
}

const char *words_canary(enum canary canary)
{
    switch (canary) {
    case CANARY_OFF:
        return "off";
    case CANARY_NOTICED:
        return "noticed";
    case CANARY_UNNOTICED:
        return "unnoticed";
    }
    UNREACHABLE("canary");
}

/* How many digits of the id no other state shares. */
static int digits_needed(const struct run *run, const char *id)
{
    enum { DIGITS_MIN = 10 };
    size_t need = DIGITS_MIN;
    for (; run; run = run->second) {
        for (size_t i = 0; i < run->states_count; i++) {
            const char *other = run->states[i].id;
            while (need < STATE_ID_SIZE - 1 && strcmp(other, id) != 0 &&
                   strncmp(other, id, need) == 0)
                need++;
        }
    }
    return (int)need;
}

char *words_replay(const struct run *run, const struct finding *finding)
{
    char *id OWN(own_mem) =
        mem_format("%.*s", digits_needed(run, finding->replay), finding->replay);
    if (!run->out || strcmp(run->out, usual_folder) == 0)
        return mem_format("brink replay %s", id);
    const char *const words[] = {"brink", "replay", "--run", run->out, id, NULL};
    return text_quote(words);
}

uint64_t words_violated(const struct run *run)
{
    uint64_t count = 0;
    for (size_t i = 0; run->verdicts && i < run->states_count; i++) {
        const enum verdict_kind kind = run->verdicts[i].kind;
        count += kind == VERDICT_VIOLATED || kind == VERDICT_CRASHED || kind == VERDICT_HUNG;
    }
    return run->second ? count + words_violated(run->second) : count;
}

uint32_t words_op(const struct run *run, const struct finding *finding)
{
    return finding->op - (finding->depth > 1 ? 0 : run->trace->initial) + 1;
}

static bool is_sync(const struct op *op)
{
    return op->kind == OP_SYNC || op->kind == OP_SYNC_RANGE || op->kind == OP_SYNC_MAP ||
           op->kind == OP_SYNC_ALL;
}

struct words_recorded words_recorded(const struct run *run)
{
    const struct trace *trace = run->trace;
    struct words_recorded recorded = {0};
    for (uint32_t i = trace->initial; i < trace->count; i++) {
        const struct op *op = &trace->ops[i];
        recorded.ops += op_is_crash_point(op);
        recorded.syncs += is_sync(op);
        if (op->kind == OP_WRITE || op->kind == OP_STORE)
            recorded.bytes += op->payload_size;
    }
    return recorded;
}

const char **words_notes(const struct run *run)
{
    const struct trace_about *about = &run->trace->about;
    const char **notes = mem_new(about->notes_count + run->notes_count + 1, sizeof *notes);
    size_t count = 0;
    for (size_t i = 0; i < about->notes_count; i++)
        notes[count++] = about->notes[i];
    for (size_t i = 0; i < run->notes_count; i++)
        notes[count++] = run->notes[i];
    return notes;
}
