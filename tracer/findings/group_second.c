#include "group_second.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "group.h"
#include "tracer/base/map.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/states/enumerate.h"
#include "tracer/states/model.h"
#include "tracer/trace/recoveries.h"
#include "window.h"

/* Equal states are checked once, wherever they were met first. But a window opens and closes in the
 * order of one recovery's ops, so here each kill point of a recovery gets the verdict of its state,
 * whosever that is. Only recoveries with a violated state of their own are looked at. */

/* A checked state of either depth. */
struct known {
    const struct state *state;
    const struct verdict *verdict;
};

struct grouping {
    struct run *run;
    struct run *second;
    struct known *known;
    size_t known_count;
    struct map by_hash; /* hash to index in known, probed upwards */
    struct map counted; /* states that a finding has counted, by their hash */
    struct walker *walker;
    struct state *states; /* of the recovery at hand, and their verdicts */
    struct verdict *verdicts;
    size_t count, states_capacity, verdicts_capacity;
};

static void add_known(struct grouping *grouping, const struct run *run)
{
    for (size_t i = 0; i < run->states_count; i++) {
        uint64_t key = run->states[i].hash.low;
        if (run->verdicts[i].kind == VERDICT_NONE)
            continue;
        while (map_get(&grouping->by_hash, key, NULL))
            key++;
        map_put(&grouping->by_hash, key, grouping->known_count);
        grouping->known[grouping->known_count++] =
            (struct known){&run->states[i], &run->verdicts[i]};
    }
}

static const struct known *find(const struct grouping *grouping, struct tree_hash hash)
{
    uint64_t at;
    for (uint64_t key = hash.low; map_get(&grouping->by_hash, key, &at); key++) {
        if (tree_hash_equal(grouping->known[at].state->hash, hash))
            return &grouping->known[at];
    }
    return NULL;
}

static void add_state(struct grouping *grouping, const struct state *state,
                      const struct verdict *verdict)
{
    const size_t need = grouping->count + 1;
    mem_grow(&grouping->states, &grouping->states_capacity, need, sizeof *grouping->states);
    mem_grow(&grouping->verdicts, &grouping->verdicts_capacity, need, sizeof *grouping->verdicts);
    grouping->states[grouping->count] = *state;
    grouping->verdicts[grouping->count++] = *verdict;
}

/* The kill at position k, under the name of its state. */
static bool add_kill(struct grouping *grouping, uint32_t number, uint32_t k, struct err *err)
{
    const struct trace_recovery *recovery = &grouping->second->trace->recoveries[number];
    const struct trace_promised promised = {recovery->acked_bytes, recovery->sent_messages};
    const struct state kill = {.model = MODEL_KILL, .op = k, .recovery = number + 1};
    if (!walker_to(grouping->walker, &kill, err))
        return false;
    const struct known *known = find(grouping, state_hash(walker_tree(grouping->walker), promised));
    if (known == NULL)
        return true;
    struct state state = *known->state;
    state.model = MODEL_KILL;
    state.op = k;
    state.variant = 0;
    state.recovery = number + 1;
    add_state(grouping, &state, known->verdict);
    return true;
}

/* All kill points of a recovery, and the other states of its own: states [from, to) of the second
 * run. */
static bool collect(struct grouping *grouping, const struct trace *trace, size_t from, size_t to,
                    struct err *err)
{
    const struct run *second = grouping->second;
    const uint32_t number = second->states[from].recovery - 1;
    grouping->count = 0;
    for (uint32_t k = 0; k <= trace->count; k++) {
        if (model_of(MODEL_KILL)->count(trace, k) > 0 && !add_kill(grouping, number, k, err))
            return false;
        for (; from < to && second->states[from].op <= k; from++) {
            if (second->states[from].model != MODEL_KILL)
                add_state(grouping, &second->states[from], &second->verdicts[from]);
        }
    }
    return true;
}

/* Whether a violated state belongs to the window. */
static bool is_inside(const struct window *window, const struct state *state)
{
    if (window->model != MODEL_KILL)
        return state->model == window->model && state->op == window->open;
    return (window->open == UINT32_MAX || state->op > window->open) &&
           (window->close == UINT32_MAX || state->op <= window->close);
}

/* Different states of the window that no other finding has counted. */
static uint64_t count_new(struct grouping *grouping, const struct window *window)
{
    uint64_t count = 0;
    for (size_t i = 0; i < grouping->count; i++) {
        if (window_is_violation(&grouping->verdicts[i]) && is_inside(window, &grouping->states[i]))
            count += map_put(&grouping->counted, grouping->states[i].hash.low, 1);
    }
    return count;
}

/* A cause in the recovery is another one than the same call in the worker. */
static void mark_key(struct finding *finding)
{
    char *text OWN(own_mem) = mem_format("%s\nrecovery", finding->key);
    snprintf(finding->key, sizeof finding->key, "%016" PRIx64, XXH3_64bits(text, strlen(text)));
}

static void add_window(struct grouping *grouping, const struct run *part,
                       const struct window *window)
{
    const uint32_t number = grouping->states[window->first].recovery - 1;
    const struct trace_recovery *recovery = &grouping->second->trace->recoveries[number];
    struct finding finding = group_window(part, window);
    char *sentence OWN(own_mem) = finding.sentence;
    finding.depth = 2;
    finding.states = count_new(grouping, window);
    snprintf(finding.first, sizeof finding.first, "%016" PRIx64, recovery->id);
    finding.first_is =
        state_describe(grouping->run->trace, &grouping->run->states[recovery->state]);
    finding.sentence = mem_format("in the recovery, %s", sentence);
    if (finding.op < part->trace->count)
        finding.op_is = trace_sentence(part->trace, &part->trace->ops[finding.op]);
    mark_key(&finding);
    group_add(grouping->run, &finding);
}

static bool group_recovery(struct grouping *grouping, size_t from, size_t to, struct err *err)
{
    const struct run *second = grouping->second;
    const struct trace trace = recoveries_trace(second->trace, second->states[from].recovery - 1);
    if (!collect(grouping, &trace, from, to, err))
        return false;
    const struct run part = {
        .trace = &trace,
        .states = grouping->states,
        .states_count = grouping->count,
        .verdicts = grouping->verdicts,
        .recover = second->recover,
        .check = second->check,
    };
    struct window *windows OWN(own_mem) = NULL;
    const size_t count = window_find(&part, &windows);
    for (size_t i = 0; i < count; i++)
        add_window(grouping, &part, &windows[i]);
    return true;
}

static bool group_all(struct grouping *grouping, struct err *err)
{
    const struct run *second = grouping->second;
    size_t to;
    for (size_t from = 0; from < second->states_count; from = to) {
        bool is_violated = false;
        for (to = from; to < second->states_count &&
                        second->states[to].recovery == second->states[from].recovery;
             to++)
            is_violated |= window_is_violation(&second->verdicts[to]);
        if (is_violated && !group_recovery(grouping, from, to, err))
            return false;
    }
    return true;
}

bool group_second(struct run *run, struct err *err)
{
    struct run *second = run->second;
    struct grouping grouping = {.run = run, .second = second};
    grouping.known = mem_new(run->states_count + second->states_count + 1, sizeof *grouping.known);
    grouping.walker = walker_new(second->trace);
    add_known(&grouping, run);
    add_known(&grouping, second);
    const bool is_done = group_all(&grouping, err);
    walker_free(grouping.walker);
    free(grouping.known);
    free(grouping.states);
    free(grouping.verdicts);
    map_fini(&grouping.by_hash);
    map_fini(&grouping.counted);
    return is_done;
}
