#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"
#include "store_value.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static bool write_pairs(struct query *query, const struct state *state, size_t number,
                        struct err *err)
{
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (state->pairs[i] == 0)
            continue;
        query_put(query, number);
        query_put_text(query, model_name((enum model_kind)i));
        query_put(query, state->pairs[i]);
        if (!query_done(query, err))
            return false;
    }
    return true;
}

static bool write_state(struct query *query, const struct state *state, size_t number,
                        struct err *err)
{
    query_put(query, number);
    query_put_text(query, state->id);
    query_put_text(query, model_name(state->model));
    query_put(query, state->op);
    query_put(query, state->variant);
    query_put(query, state->hash.low);
    query_put(query, state->hash.high);
    query_put(query, state->acked_bytes);
    query_put(query, state->sent_messages);
    query_put(query, state->recovery);
    return query_done(query, err);
}

static bool write_states(struct store *store, const struct state *states, size_t count,
                         struct err *err)
{
    struct query query OWN(query_close) = {0};
    struct query pairs OWN(query_close) = {0};
    if (!store_run_sql(store, "DELETE FROM state; DELETE FROM pair", err) ||
        !query_open(store, "INSERT INTO state VALUES(?,?,?,?,?,?,?,?,?,?)", &query, err) ||
        !query_open(store, "INSERT INTO pair VALUES(?,?,?)", &pairs, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!write_state(&query, &states[i], i, err) || !write_pairs(&pairs, &states[i], i, err))
            return false;
    }
    return true;
}

bool store_write_states(struct store *store, const struct state *states, size_t count,
                        struct err *err)
{
    return store_begin(store, err) &&
           store_end(store, write_states(store, states, count, err), err);
}

static bool take_state(struct query *query, size_t number, struct state *state)
{
    *state = (struct state){0};
    const bool is_next = query_take(query) == number;
    snprintf(state->id, sizeof state->id, "%s", query_borrow_text(query));
    const bool has_model = store_model_of(query_borrow_text(query), &state->model);
    state->op = (uint32_t)query_take(query);
    state->variant = query_take(query);
    state->hash.low = query_take(query);
    state->hash.high = query_take(query);
    state->acked_bytes = query_take(query);
    state->sent_messages = (uint32_t)query_take(query);
    state->recovery = (uint32_t)query_take(query);
    return is_next && has_model;
}

static bool read_pairs(struct store *store, struct state *states, size_t count, struct err *err)
{
    struct query query OWN(query_close) = {0};
    if (!query_open(store, "SELECT state, model, pairs FROM pair", &query, err))
        return false;
    for (;;) {
        bool has_row = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row)
            return true;
        enum model_kind model;
        const uint64_t number = query_take(&query);
        if (number >= count || !store_model_of(query_borrow_text(&query), &model))
            return store_damaged("its table of pairs", err);
        states[number].pairs[model] = (uint32_t)query_take(&query);
    }
}

bool store_read_states(struct store *store, struct state **out, size_t *count, struct err *err)
{
    static const char sql[] = "SELECT number, id, model, op, variant, hash_low, hash_high,"
                              " acked_bytes, sent_messages, recovery FROM state ORDER BY number";
    struct query query OWN(query_close) = {0};
    struct state *states OWN(own_mem) = NULL;
    size_t capacity = 0, filled = 0;
    if (!query_open(store, sql, &query, err))
        return false;
    for (;;) {
        bool has_row = false;
        if (!query_next(&query, &has_row, err))
            return false;
        if (!has_row)
            break;
        mem_grow(&states, &capacity, filled + 1, sizeof *states);
        if (!take_state(&query, filled, &states[filled]))
            return store_damaged("its table of states", err);
        filled++;
    }
    if (!read_pairs(store, states, filled, err))
        return false;
    *out = states;
    *count = filled;
    states = NULL;
    return true;
}
