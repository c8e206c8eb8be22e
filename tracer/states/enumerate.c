#include "enumerate.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "model.h"
#include "state_id.h"
#include "tracer/base/check.h"
#include "tracer/base/map.h"
#include "tracer/base/mem.h"

/* With a budget, at most this many variants are hashed for each one that may be checked: enough to
 * see which are equal, and no worker makes the enumeration take longer than the checking. */
enum { CANDIDATES_PER_CHECKED = 40 };

struct candidate {
    struct state state;
    uint8_t rank[MODEL_COUNT]; /* best of its pairs */
    bool is_chosen;
};

struct builder {
    const struct trace *trace;
    const struct enumerate_options *options;
    struct candidate *items;
    size_t count, capacity;
    struct map by_hash;          /* hash to index, probed upwards */
    uint64_t quota[MODEL_COUNT]; /* variants of one position that are hashed at most */
    uint64_t *picked;
    size_t picked_capacity;
};

static struct tree_hash with_promises(struct tree_hash tree, struct trace_promised promised)
{
    const uint64_t parts[] = {tree.low, tree.high, promised.acked_bytes, promised.sent_messages};
    const XXH128_hash_t hash = XXH3_128bits(parts, sizeof parts);
    return (struct tree_hash){.low = hash.low64, .high = hash.high64};
}

static struct candidate *find_or_add(struct builder *builder, struct tree_hash hash)
{
    uint64_t at;
    uint64_t key = hash.low;
    while (map_get(&builder->by_hash, key, &at)) {
        if (tree_hash_equal(builder->items[at].state.hash, hash))
            return &builder->items[at];
        key++;
    }
    map_put(&builder->by_hash, key, builder->count);
    mem_grow(&builder->items, &builder->capacity, builder->count + 1, sizeof *builder->items);
    struct candidate *added = &builder->items[builder->count++];
    *added = (struct candidate){.state = {.hash = hash, .model = MODEL_COUNT}};
    memset(added->rank, RANKS, sizeof added->rank);
    return added;
}

/* Counts a pair. The weakest model that has a state owns it, at its first place. */
static void add_pair(struct builder *builder, const struct state *pair)
{
    struct candidate *item = find_or_add(builder, pair->hash);
    if (pair->model < item->state.model) {
        uint32_t pairs[MODEL_COUNT];
        memcpy(pairs, item->state.pairs, sizeof pairs);
        item->state = *pair;
        memcpy(item->state.pairs, pairs, sizeof pairs);
    }
    item->state.pairs[pair->model]++;
    const unsigned rank = model_of(pair->model)->rank(builder->trace, pair->op, pair->variant);
    CHECK(rank < RANKS);
    if (rank < item->rank[pair->model])
        item->rank[pair->model] = (uint8_t)rank;
}

static bool add_variant(struct builder *builder, struct tree *tree, struct state pair,
                        struct err *err)
{
    tree_mark(tree);
    const bool is_done =
        model_of(pair.model)->apply(tree, builder->trace, pair.op, pair.variant, err);
    if (is_done) {
        pair.hash = with_promises(tree_hash(tree),
                                  (struct trace_promised){pair.acked_bytes, pair.sent_messages});
        add_pair(builder, &pair);
    }
    tree_undo(tree);
    return is_done;
}

static bool add_position(struct builder *builder, struct tree *tree, uint32_t k,
                         enum model_kind kind, struct err *err)
{
    const struct model *model = model_of(kind);
    const uint64_t total = model->count(builder->trace, k);
    const uint64_t wanted = total < builder->quota[kind] ? total : builder->quota[kind];
    if (wanted == 0)
        return true;
    mem_grow(&builder->picked, &builder->picked_capacity, wanted, sizeof *builder->picked);
    const size_t picked = model->pick(builder->trace, k, wanted, builder->picked);
    const struct trace_promised promised = trace_promised(builder->trace, k);
    for (size_t i = 0; i < picked; i++) {
        const struct state pair = {.model = kind,
                                   .op = k,
                                   .variant = builder->picked[i],
                                   .acked_bytes = promised.acked_bytes,
                                   .sent_messages = promised.sent_messages};
        if (!add_variant(builder, tree, pair, err))
            return false;
    }
    return true;
}

static bool is_interrupted(const struct builder *builder)
{
    return builder->options->interrupted && *builder->options->interrupted;
}

static bool walk(struct builder *builder, struct err *err)
{
    const struct trace *trace = builder->trace;
    struct walker *walker = walker_new(trace);
    bool is_done = true;
    for (uint32_t k = trace->initial; is_done && k <= trace->count && !is_interrupted(builder);
         k++) {
        is_done = walker_to_position(walker, k, err);
        for (enum model_kind kind = 0; is_done && kind < MODEL_COUNT; kind++) {
            if (builder->options->wanted[kind])
                is_done = add_position(builder, walker_tree(walker), k, kind, err);
        }
    }
    walker_free(walker);
    return is_done;
}

/* How many variants there are when no position may have more than `quota`. */
static uint64_t total_with(const struct trace *trace, const struct model *model, uint64_t quota)
{
    uint64_t total = 0;
    for (uint32_t k = trace->initial; k <= trace->count; k++) {
        const uint64_t count = model->count(trace, k);
        total += count < quota ? count : quota;
    }
    return total;
}

/* The largest quota for each position with which no more than the limit are hashed. A trace with
 * more positions than the limit gets one each. */
static uint64_t quota_for(const struct trace *trace, const struct model *model, uint64_t budget)
{
    const uint64_t limit = budget * CANDIDATES_PER_CHECKED;
    if (budget == 0 || total_with(trace, model, UINT64_MAX) <= limit)
        return UINT64_MAX;
    uint64_t low = 1;
    uint64_t high = limit;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (total_with(trace, model, middle) <= limit) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Chooses `wanted` of the states of a model that have this rank and are not chosen yet, evenly. */
static void choose_evenly(struct builder *builder, enum model_kind kind, unsigned rank,
                          uint64_t wanted)
{
    uint64_t total = 0;
    for (size_t i = 0; i < builder->count; i++)
        total += !builder->items[i].is_chosen && builder->items[i].rank[kind] == rank;
    uint64_t seen = 0;
    for (size_t i = 0; i < builder->count; i++) {
        struct candidate *item = &builder->items[i];
        if (item->is_chosen || item->rank[kind] != rank)
            continue;
        item->is_chosen = total <= wanted || (seen + 1) * wanted / total > seen * wanted / total;
        seen++;
    }
}

static uint64_t chosen_of(const struct builder *builder, enum model_kind kind)
{
    uint64_t total = 0;
    for (size_t i = 0; i < builder->count; i++)
        total += builder->items[i].is_chosen && builder->items[i].state.pairs[kind];
    return total;
}

static void choose(struct builder *builder, enum model_kind kind)
{
    const uint64_t budget = builder->options->budget ? builder->options->budget : UINT64_MAX;
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const uint64_t chosen = chosen_of(builder, kind);
        if (chosen < budget)
            choose_evenly(builder, kind, rank, budget - chosen);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct state *x = a;
    const struct state *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    return x->variant < y->variant ? -1 : x->variant > y->variant;
}

static bool is_in_shard(const struct builder *builder, const struct state *state)
{
    const uint32_t shards = builder->options->shards;
    return shards < 2 || state->hash.low % shards == builder->options->shard;
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
    struct state *states = mem_new(builder->count, sizeof *states);
    size_t count = 0;
    for (size_t i = 0; i < builder->count; i++) {
        if (builder->items[i].is_chosen)
            states[count++] = builder->items[i].state;
    }
    qsort(states, count, sizeof *states, by_place);
    state_id_fill(builder->trace, states, count);
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

bool enumerate(const struct trace *trace, const struct enumerate_options *options,
               struct enumerated *out, struct err *err)
{
    struct builder builder = {.trace = trace, .options = options};
    struct enumerated result = {0};
    for (enum model_kind kind = 0; kind < MODEL_COUNT; kind++) {
        if (!options->wanted[kind])
            continue;
        result.counts[kind].legal = total_with(trace, model_of(kind), UINT64_MAX);
        builder.quota[kind] = quota_for(trace, model_of(kind), options->budget);
    }
    const bool is_done = walk(&builder, err);
    for (enum model_kind kind = 0; is_done && kind < MODEL_COUNT; kind++) {
        if (options->wanted[kind])
            choose(&builder, kind);
    }
    if (is_done) {
        take_chosen(&builder, &result);
        *out = result;
    }
    free(builder.items);
    free(builder.picked);
    map_fini(&builder.by_hash);
    return is_done;
}

char *state_describe(const struct trace *trace, const struct state *state)
{
    return model_of(state->model)->describe(trace, state->op, state->variant);
}
