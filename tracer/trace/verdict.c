#include "verdict.h"

#include <stdlib.h>

#include "tracer/base/check.h"

const char *model_name(enum model_kind model)
{
    switch (model) {
    case MODEL_KILL:
        return "kill";
    case MODEL_TORN:
        return "torn";
    case MODEL_COUNT:
        break;
    }
    UNREACHABLE("model");
}

const char *verdict_name(enum verdict_kind kind)
{
    switch (kind) {
    case VERDICT_NONE:
        return "not checked";
    case VERDICT_HELD:
        return "held";
    case VERDICT_VIOLATED:
        return "violated";
    case VERDICT_CRASHED:
        return "crashed";
    case VERDICT_HUNG:
        return "hung";
    case VERDICT_FLAKY:
        return "flaky";
    case VERDICT_COUNT:
        break;
    }
    UNREACHABLE("verdict");
}

static void free_findings(struct finding *findings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(findings[i].call);
        free(findings[i].path);
        free(findings[i].where);
        free(findings[i].missing);
        free(findings[i].sentence);
        free(findings[i].cause);
        free(findings[i].why);
        free(findings[i].output);
        free(findings[i].first_is);
        free(findings[i].op_is);
    }
    free(findings);
}

void run_fini(struct run *run)
{
    for (size_t i = 0; run->verdicts && i < run->states_count; i++) {
        free(run->verdicts[i].output);
        free(run->verdicts[i].why);
    }
    free(run->verdicts);
    free(run->states);
    for (size_t i = 0; i < run->notes_count; i++)
        free(run->notes[i]);
    free(run->notes);
    free_findings(run->findings, run->findings_count);
    free(run->recover);
    free(run->check);
    *run = (struct run){0};
}

uint64_t run_violations(const struct run *run)
{
    uint64_t sum = 0;
    for (int i = 0; i < MODEL_COUNT; i++)
        sum += run->models[i].violated + run->models[i].crashed + run->models[i].hung;
    return run->second ? sum + run_violations(run->second) : sum;
}

uint64_t run_checked(const struct run *run)
{
    return run->checked + (run->second ? run->second->checked : 0);
}

enum run_result run_result(const struct run *run)
{
    if (run_violations(run) > 0)
        return RUN_VIOLATED;
    const bool is_complete = run->complete && (!run->second || run->second->complete);
    return is_complete ? RUN_HELD : RUN_PARTIAL;
}
