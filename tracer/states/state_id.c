#include "state_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tracer/base/map.h"
#include "tracer/trace/recoveries.h"

/* What says which op a state belongs to: for a kill the last one done, for a torn write the one
 * that is torn. */
static uint32_t op_of(const struct trace *trace, const struct state *state)
{
    if (state->variant != 0)
        return state->op;
    return state->op > trace->initial ? state->op - 1 : UINT32_MAX;
}

static uint64_t signature(const struct trace *trace, const struct op *op)
{
    const char *path = trace_string(trace, op->path);
    return XXH3_64bits_withSeed(path, strlen(path), (uint64_t)op->kind << 32 | op->call);
}

struct named {
    uint64_t signature;
    uint64_t earlier; /* ops with this signature before it */
    uint64_t model;
    uint64_t variant;
    uint64_t repeat;
};

/* People type the first ten digits: by these ids must differ. */
enum { UNTYPED_BITS = 24 };

static void fill_one(struct state *state, struct named named, struct map *taken)
{
    uint64_t hash;
    do {
        hash = XXH3_64bits(&named, sizeof named);
        named.repeat++;
    } while (!map_put(taken, hash >> UNTYPED_BITS, 1));
    snprintf(state->id, sizeof state->id, "%016" PRIx64, hash);
}

void state_id_fill(const struct trace *trace, struct state *states, size_t count)
{
    struct map seen = {0}; /* signature to the number of ops that have it */
    struct map taken = {0};
    uint32_t at = trace->initial;
    uint64_t last_signature = 0;
    uint64_t last_earlier = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t wanted = op_of(trace, &states[i]);
        for (; wanted != UINT32_MAX && at <= wanted; at++) {
            last_signature = signature(trace, &trace->ops[at]);
            last_earlier = 0;
            map_get(&seen, last_signature, &last_earlier);
            map_put(&seen, last_signature, last_earlier + 1);
        }
        const bool is_start = wanted == UINT32_MAX;
        fill_one(&states[i],
                 (struct named){.signature = is_start ? 0 : last_signature,
                                .earlier = is_start ? 0 : last_earlier,
                                .model = states[i].model,
                                .variant = states[i].variant},
                 &taken);
    }
    map_fini(&seen);
    map_fini(&taken);
}

static uint64_t number_of(const struct state *state)
{
    return strtoull(state->id, NULL, 16);
}

/* The states of one recovery, with ids as if it were the worker. */
static size_t fill_inside(const struct trace *trace, struct state *states, size_t count)
{
    const uint32_t recovery = states[0].recovery;
    const struct trace inside = recoveries_trace(trace, recovery - 1);
    size_t size = 0;
    while (size < count && states[size].recovery == recovery)
        size++;
    state_id_fill(&inside, states, size);
    return size;
}

static void join_ids(const struct trace *trace, struct state *state, struct map *taken)
{
    uint64_t parts[] = {trace->recoveries[state->recovery - 1].id, number_of(state), 0};
    uint64_t hash;
    do {
        hash = XXH3_64bits(parts, sizeof parts);
        parts[2]++;
    } while (!map_put(taken, hash >> UNTYPED_BITS, 1));
    snprintf(state->id, sizeof state->id, "%016" PRIx64, hash);
}

void state_id_fill_recoveries(const struct trace *trace, struct state *states, size_t count,
                              const struct state_id_others *others)
{
    struct map taken = {0};
    for (size_t i = 0; i < others->count; i++)
        map_put(&taken, number_of(&others->items[i]) >> UNTYPED_BITS, 1);
    for (size_t i = 0; i < count;)
        i += fill_inside(trace, states + i, count - i);
    for (size_t i = 0; i < count; i++)
        join_ids(trace, &states[i], &taken);
    map_fini(&taken);
}
