#include "enumerate.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "candidates.h"
#include "state_id.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/recoveries.h"

/* With a budget, at most this many variants are hashed for each one that may be checked: enough to
 * see which are equal, and no worker makes the enumeration take longer than the checking. */
enum { CANDIDATES_PER_CHECKED = 40 };

struct builder {
    const struct trace *trace;
    const struct enumerate_options *options;
    struct candidates candidates;
    uint64_t quota[MODEL_COUNT]; /* variants of one position that are hashed at most */
    uint64_t *picked;
    size_t picked_capacity;
};

/* Where the walk stands: a position of the worker's ops, or of a recovery's. */
struct position {
    const struct trace *trace; /* whose ops are counted */
    uint32_t k;
    uint32_t recovery; /* as in struct state */
    struct trace_promised promised;
};

struct tree_hash state_hash(const struct tree *tree, struct trace_promised promised)
{
    const struct tree_hash files = tree_hash(tree);
    const uint64_t parts[] = {files.low, files.high, promised.acked_bytes, promised.sent_messages};
    const XXH128_hash_t hash = XXH3_128bits(parts, sizeof parts);
    return (struct tree_hash){.low = hash.low64, .high = hash.high64};
}

static bool add_variant(struct builder *builder, struct tree *tree, const struct position *position,
                        struct state pair, struct err *err)
{
    const struct model *model = model_of(pair.model);
    tree_mark(tree);
    const struct model_place place = {pair.op, pair.variant};
    const bool is_done = model_apply(model, tree, position->trace, place, err);
    if (is_done) {
        pair.hash = state_hash(tree, position->promised);
        candidates_add(&builder->candidates, &pair,
                       model->rank(position->trace, pair.op, pair.variant));
    }
    tree_undo(tree);
    return is_done;
}

static bool add_model(struct builder *builder, struct tree *tree, const struct position *position,
                      enum model_kind kind, struct err *err)
{
    const struct model *model = model_of(kind);
    const uint64_t total = model->count(position->trace, position->k);
    const uint64_t wanted = total < builder->quota[kind] ? total : builder->quota[kind];
    if (wanted == 0)
        return true;
    mem_grow(&builder->picked, &builder->picked_capacity, wanted, sizeof *builder->picked);
    const size_t picked = model->pick(position->trace, position->k, wanted, builder->picked);
    for (size_t i = 0; i < picked; i++) {
        const struct state pair = {.model = kind,
                                   .op = position->k,
                                   .variant = builder->picked[i],
                                   .recovery = position->recovery,
                                   .acked_bytes = position->promised.acked_bytes,
                                   .sent_messages = position->promised.sent_messages};
        if (!add_variant(builder, tree, position, pair, err))
            return false;
    }
    return true;
}

static bool add_position(struct builder *builder, struct tree *tree,
                         const struct position *position, struct err *err)
{
    for (enum model_kind kind = 0; kind < MODEL_COUNT; kind++) {
        if (builder->options->wanted[kind] && !add_model(builder, tree, position, kind, err))
            return false;
    }
    return true;
}

static bool is_interrupted(const struct builder *builder)
{
    return builder->options->interrupted && *builder->options->interrupted;
}

static bool walk_worker(struct builder *builder, struct walker *walker, struct err *err)
{
    const struct trace *trace = builder->trace;
    for (uint32_t k = trace->initial; k <= trace->count && !is_interrupted(builder); k++) {
        const struct position position = {
            .trace = trace, .k = k, .promised = trace_promised(trace, k)};
        if (!walker_to_position(walker, k, err) ||
            !add_position(builder, walker_tree(walker), &position, err))
            return false;
    }
    return true;
}

static bool walk_recovery(struct builder *builder, struct walker *walker, uint32_t number,
                          struct err *err)
{
    const struct trace_recovery *recovery = &builder->trace->recoveries[number];
    const struct trace trace = recoveries_trace(builder->trace, number);
    struct position position = {.trace = &trace,
                                .recovery = number + 1,
                                .promised = {recovery->acked_bytes, recovery->sent_messages}};
    for (; position.k <= trace.count && !is_interrupted(builder); position.k++) {
        if (!walker_to_recovery(walker, number, position.k, err) ||
            !add_position(builder, walker_tree(walker), &position, err))
            return false;
    }
    return true;
}

static bool walk(struct builder *builder, struct err *err)
{
    struct walker *walker = walker_new(builder->trace);
    bool is_done = true;
    if (!builder->options->want_recoveries)
        is_done = walk_worker(builder, walker, err);
    for (uint32_t i = 0;
         is_done && builder->options->want_recoveries && i < builder->trace->recoveries_count; i++)
        is_done = walk_recovery(builder, walker, i, err);
    walker_free(walker);
    return is_done;
}

static uint64_t total_of(const struct trace *trace, const struct model *model, uint64_t quota)
{
    uint64_t total = 0;
    for (uint32_t k = trace->initial; k <= trace->count; k++) {
        const uint64_t count = model->count(trace, k);
        total += count < quota ? count : quota;
    }
    return total;
}

/* How many variants there are when no position may have more than `quota`. */
static uint64_t total_with(const struct builder *builder, const struct model *model, uint64_t quota)
{
    if (!builder->options->want_recoveries)
        return total_of(builder->trace, model, quota);
    uint64_t total = 0;
    for (uint32_t i = 0; i < builder->trace->recoveries_count; i++) {
        const struct trace trace = recoveries_trace(builder->trace, i);
        total += total_of(&trace, model, quota);
    }
    return total;
}

/* The largest quota for each position with which no more than the limit are hashed. A trace with
 * more positions than the limit gets one each. */
static uint64_t quota_for(const struct builder *builder, const struct model *model)
{
    const uint64_t limit = builder->options->budget * CANDIDATES_PER_CHECKED;
    if (limit == 0 || total_with(builder, model, UINT64_MAX) <= limit)
        return UINT64_MAX;
    uint64_t low = 1;
    uint64_t high = limit;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (total_with(builder, model, middle) <= limit) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* By name, which is the same in all shards even when what the worker writes is not. */
static bool is_in_shard(const struct builder *builder, const struct state *state)
{
    const uint32_t shards = builder->options->shards;
    return shards < 2 ||
           XXH3_64bits(state->id, strlen(state->id)) % shards == builder->options->shard;
}

static void count_chosen(struct model_counts *counts, const struct state *state)
{
    for (enum model_kind kind = 0; kind < MODEL_COUNT; kind++) {
        counts[kind].tried += state->pairs[kind];
        counts[kind].distinct += state->pairs[kind] != 0;
    }
}

/* Takes the chosen states out in order, names them, and keeps those of this shard. Names are given
 * before shards are split off, so that all shards agree on them. */
static void take_chosen(struct builder *builder, struct enumerated *out)
{
    const struct enumerate_options *options = builder->options;
    struct state *states = NULL;
    const size_t count = candidates_take(&builder->candidates, &states);
    if (options->want_recoveries) {
        const struct state_id_others others = {options->known, options->known_count};
        state_id_fill_recoveries(builder->trace, states, count, &others);
    } else {
        state_id_fill(builder->trace, states, count);
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_in_shard(builder, &states[i]))
            continue;
        states[kept++] = states[i];
        count_chosen(out->counts, &states[i]);
    }
    out->states = states;
    out->count = kept;
}

static void build(struct builder *builder, struct enumerated *out)
{
    const struct enumerate_options *options = builder->options;
    for (enum model_kind kind = 0; kind < MODEL_COUNT; kind++) {
        if (options->wanted[kind])
            candidates_choose(&builder->candidates, kind, options->budget);
        out->counts[kind].known = builder->candidates.known[kind];
        out->counts[kind].tried = builder->candidates.known[kind];
    }
    take_chosen(builder, out);
}

bool enumerate(const struct trace *trace, const struct enumerate_options *options,
               struct enumerated *out, struct err *err)
{
    struct builder builder = {.trace = trace, .options = options};
    struct enumerated result = {0};
    for (enum model_kind kind = 0; kind < MODEL_COUNT; kind++) {
        if (!options->wanted[kind])
            continue;
        result.counts[kind].legal = total_with(&builder, model_of(kind), UINT64_MAX);
        builder.quota[kind] = quota_for(&builder, model_of(kind));
    }
    for (size_t i = 0; i < options->known_count; i++)
        candidates_know(&builder.candidates, &options->known[i]);
    const bool is_done = walk(&builder, err);
    if (is_done) {
        build(&builder, &result);
        *out = result;
    }
    candidates_fini(&builder.candidates);
    free(builder.picked);
    return is_done;
}

char *state_describe(const struct trace *trace, const struct state *state)
{
    const struct model *model = model_of(state->model);
    if (state->recovery == 0)
        return model->describe(trace, state->op, state->variant);
    const struct trace recovery = recoveries_trace(trace, state->recovery - 1);
    const struct trace_recovery *about = &trace->recoveries[state->recovery - 1];
    char *first OWN(own_mem) = model_of(about->model)->describe(trace, about->op, about->variant);
    char *second OWN(own_mem) = model->describe(&recovery, state->op, state->variant);
    return mem_format("the worker's crash: %s; the recovery's crash: %s", first, second);
}
