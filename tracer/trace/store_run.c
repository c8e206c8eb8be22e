#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"
#include "store_value.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static bool write_findings(struct store *store, const struct run *run, struct err *err)
{
    static const char sql[] =
        "INSERT INTO finding(number, id, \"key\", weakest, states, op, call, path, place, missing,"
        " sentence, cause, replay, why, output, depth, first, first_is, op_is)"
        " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
    struct query query OWN(query_close) = {0};
    if (!query_open(store, sql, &query, err))
        return false;
    for (size_t i = 0; i < run->findings_count; i++) {
        const struct finding *finding = &run->findings[i];
        query_put(&query, i);
        query_put_text(&query, finding->id);
        query_put_text(&query, finding->key);
        query_put_text(&query, model_name(finding->weakest));
        query_put(&query, finding->states);
        query_put(&query, finding->op);
        query_put_text(&query, finding->call);
        query_put_text(&query, finding->path);
        query_put_text(&query, finding->where);
        query_put_text(&query, finding->missing);
        query_put_text(&query, finding->sentence);
        query_put_text(&query, finding->cause);
        query_put_text(&query, finding->replay);
        query_put_text(&query, finding->why);
        query_put_text(&query, finding->output);
        query_put(&query, finding->depth);
        query_put_text(&query, finding->first);
        query_put_text(&query, finding->first_is);
        query_put_text(&query, finding->op_is);
        if (!query_done(&query, err))
            return false;
    }
    return true;
}

static void take_finding(struct query *query, struct finding *finding, bool *fits)
{
    snprintf(finding->id, sizeof finding->id, "%s", query_borrow_text(query));
    snprintf(finding->key, sizeof finding->key, "%s", query_borrow_text(query));
    *fits = store_model_of(query_borrow_text(query), &finding->weakest);
    finding->states = query_take(query);
    finding->op = (uint32_t)query_take(query);
    finding->call = query_take_text(query);
    finding->path = query_take_text(query);
    finding->where = query_take_text(query);
    finding->missing = query_take_text(query);
    finding->sentence = query_take_text(query);
    finding->cause = query_take_text(query);
    snprintf(finding->replay, sizeof finding->replay, "%s", query_borrow_text(query));
    finding->why = query_take_text(query);
    finding->output = query_take_text(query);
    finding->depth = (unsigned)query_take(query);
    snprintf(finding->first, sizeof finding->first, "%s", query_borrow_text(query));
    finding->first_is = query_take_text(query);
    finding->op_is = query_take_text(query);
}

static bool read_findings(struct store *store, struct run *run, struct err *err)
{
    static const char sql[] =
        "SELECT id, \"key\", weakest, states, op, call, path, place, missing, sentence, cause,"
        " replay, why, output, depth, first, first_is, op_is FROM finding ORDER BY number";
    struct query query OWN(query_close) = {0};
    if (!query_open(store, sql, &query, err))
        return false;
    size_t capacity = 0;
    for (;;) {
        bool has_row = false, fits = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row)
            return true;
        mem_grow(&run->findings, &capacity, run->findings_count + 1, sizeof *run->findings);
        struct finding *finding = &run->findings[run->findings_count++];
        *finding = (struct finding){0};
        take_finding(&query, finding, &fits);
        if (!fits || (finding->depth < 2 && finding->op > run->trace->count))
            return store_damaged("a finding", err);
    }
}

static bool write_models(struct store *store, const struct run *run, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "INSERT INTO model VALUES(?,?,?,?,?,?,?,?,?,?,?)", &query, err))
        return false;
    for (int i = 0; i < MODEL_COUNT; i++) {
        const struct model_counts *counts = &run->models[i];
        query_put_text(&query, model_name((enum model_kind)i));
        query_put(&query, run->model_wanted[i]);
        query_put(&query, counts->legal);
        query_put(&query, counts->legal_is_bound);
        query_put(&query, counts->tried);
        query_put(&query, counts->distinct);
        query_put(&query, counts->violated);
        query_put(&query, counts->crashed);
        query_put(&query, counts->hung);
        query_put(&query, counts->flaky);
        query_put(&query, counts->known);
        if (!query_done(&query, err))
            return false;
    }
    return true;
}

static bool read_models(struct store *store, struct run *run, struct err *err)
{
    static const char sql[] = "SELECT name, wanted, legal, legal_is_bound, tried, different,"
                              " violated, crashed, hung, flaky, known FROM model";
    struct query query OWN(query_close) = {0};
    if (!query_open(store, sql, &query, err))
        return false;
    for (;;) {
        bool has_row = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row)
            return true;
        enum model_kind model;
        if (!store_model_of(query_borrow_text(&query), &model))
            return store_damaged("a model that this brink does not know", err);
        struct model_counts *counts = &run->models[model];
        run->model_wanted[model] = query_take(&query) != 0;
        counts->legal = query_take(&query);
        counts->legal_is_bound = query_take(&query) != 0;
        counts->tried = query_take(&query);
        counts->distinct = query_take(&query);
        counts->violated = query_take(&query);
        counts->crashed = query_take(&query);
        counts->hung = query_take(&query);
        counts->flaky = query_take(&query);
        counts->known = query_take(&query);
    }
}

enum { CHECKED, CANARY, COMPLETE, ELAPSED, SEED, TRIED, EQUAL, SAME_SHAPE, UNSTABLE, NUMBERS };

static void list_numbers(const struct run *run, struct store_number numbers[NUMBERS + 1])
{
    const struct store_number list[NUMBERS + 1] = {
        [CHECKED] = {"run.checked", run->checked},
        [CANARY] = {"run.canary", run->canary},
        [COMPLETE] = {"run.complete", run->complete},
        [ELAPSED] = {"run.elapsed_ns", (uint64_t)run->elapsed_ns},
        [SEED] = {"verified.seed", run->verified.seed},
        [TRIED] = {"verified.tried", run->verified.tried},
        [EQUAL] = {"verified.equal", run->verified.equal},
        [SAME_SHAPE] = {"verified.same_shape", run->verified.same_shape},
        [UNSTABLE] = {"verified.unstable", run->verified.unstable},
    };
    memcpy(numbers, list, sizeof list);
}

static bool take_numbers(struct run *run, const struct store_number *numbers, struct err *err)
{
    if (numbers[CANARY].value > CANARY_UNNOTICED)
        return store_damaged("run.canary", err);
    run->checked = numbers[CHECKED].value;
    run->canary = (enum canary)numbers[CANARY].value;
    run->complete = numbers[COMPLETE].value != 0;
    run->elapsed_ns = (int64_t)numbers[ELAPSED].value;
    run->verified.seed = numbers[SEED].value;
    run->verified.tried = (uint32_t)numbers[TRIED].value;
    run->verified.equal = (uint32_t)numbers[EQUAL].value;
    run->verified.same_shape = (uint32_t)numbers[SAME_SHAPE].value;
    run->verified.unstable = (uint32_t)numbers[UNSTABLE].value;
    return true;
}

static bool write_all(struct store *store, const struct run *run, struct err *err)
{
    struct store_number numbers[NUMBERS + 1];
    list_numbers(run, numbers);
    return store_run_sql(store, "DELETE FROM finding; DELETE FROM model", err) &&
           store_numbers_set(store, numbers, err) &&
           store_set(store, "verified.skipped", run->verified.skipped, err) &&
           store_set(store, "run.recover", run->recover, err) &&
           store_set(store, "run.check", run->check, err) &&
           store_lines_set(store, "run.notes", run->notes, run->notes_count, err) &&
           write_models(store, run, err) && write_findings(store, run, err);
}

bool store_write_run(struct store *store, const struct run *run, struct err *err)
{
    return store_begin(store, err) && store_end(store, write_all(store, run, err), err);
}

static bool read_texts(struct store *store, struct run *run, struct err *err)
{
    char *skipped OWN(own_mem) = NULL;
    if (!store_get(store, "verified.skipped", &skipped, err) ||
        !store_get(store, "run.recover", &run->recover, err) ||
        !store_get(store, "run.check", &run->check, err))
        return false;
    snprintf(run->verified.skipped, sizeof run->verified.skipped, "%s", skipped ? skipped : "");
    return store_lines_get(store, "run.notes", &run->notes, &run->notes_count, err);
}

static bool read_all(struct store *store, struct run *run, struct err *err)
{
    struct store_number numbers[NUMBERS + 1];
    list_numbers(run, numbers);
    return store_numbers_get(store, numbers, err) && take_numbers(run, numbers, err) &&
           read_texts(store, run, err) &&
           store_read_states(store, &run->states, &run->states_count, err) &&
           store_read_verdicts(store, run->states_count, &run->verdicts, err) &&
           read_models(store, run, err) && read_findings(store, run, err);
}

bool store_read_run(struct store *store, struct run *run, struct err *err)
{
    struct run read OWN(run_fini) = {.trace = run->trace, .out = run->out};
    if (!read_all(store, &read, err))
        return false;
    *run = read;
    read = (struct run){0}; /* the caller owns it now */
    return true;
}
