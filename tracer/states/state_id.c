#include "state_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "tracer/base/map.h"

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

static void fill_one(struct state *state, struct named named, struct map *taken)
{
    uint64_t hash;
    do {
        hash = XXH3_64bits(&named, sizeof named);
        named.repeat++;
    } while (
        !map_put(taken, hash >> 24, 1)); /* unique in its first ten digits, which people type */
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
