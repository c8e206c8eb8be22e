#include "counts.h"

#include "tracer/base/check.h"

bool counts_is_violation(enum verdict_kind kind)
{
    return kind == VERDICT_VIOLATED || kind == VERDICT_CRASHED || kind == VERDICT_HUNG;
}

static void add_verdict(struct model_counts *counts, enum verdict_kind kind)
{
    switch (kind) {
    case VERDICT_HELD:
        return;
    case VERDICT_VIOLATED:
        counts->violated++;
        return;
    case VERDICT_CRASHED:
        counts->crashed++;
        return;
    case VERDICT_HUNG:
        counts->hung++;
        return;
    case VERDICT_FLAKY:
        counts->flaky++;
        return;
    case VERDICT_NONE:
    case VERDICT_COUNT:
        break;
    }
    UNREACHABLE("a state that was checked has a verdict");
}

static void add_state(struct run *run, const struct state *state, enum verdict_kind kind)
{
    for (int model = 0; model < MODEL_COUNT; model++) {
        struct model_counts *counts = &run->models[model];
        if (state->pairs[model] == 0)
            continue;
        counts->tried += state->pairs[model];
        counts->distinct++;
        add_verdict(counts, kind);
    }
}

void counts_fill(struct run *run)
{
    for (int model = 0; model < MODEL_COUNT; model++) {
        run->models[model] = (struct model_counts){
            .legal = run->models[model].legal,
            .legal_is_bound = run->models[model].legal_is_bound,
            .tried = run->models[model].known,
            .known = run->models[model].known,
        };
    }
    run->checked = 0;
    for (size_t i = 0; i < run->states_count; i++) {
        if (run->verdicts[i].kind == VERDICT_NONE)
            continue;
        run->checked++;
        add_state(run, &run->states[i], run->verdicts[i].kind);
    }
}
