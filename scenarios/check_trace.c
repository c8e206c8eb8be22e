#include <inttypes.h>
#include <stdlib.h>

#include "check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/barrier_matcher.h"

/* An op as people read it: its number among the worker's, and its sentence. Caller frees. */
static char *show(const struct trace *trace, uint32_t op)
{
    char *sentence OWN(own_mem) = trace_sentence(trace, &trace->ops[op]);
    return mem_format("op %u: %s", op - trace->initial + 1, sentence);
}

/* The indexes of the ops that fit, growing. Caller frees *out. */
static bool find_all(const struct trace *trace, const char *words, uint32_t **out, size_t *count,
                     struct err *err)
{
    struct barrier barrier;
    if (!barrier_parse(words, &barrier, err))
        return false;
    const bool is_done = barrier_find(&barrier, trace, out, count, err);
    barrier_fini(&barrier);
    return is_done;
}

/* The first op from which on is looked: behind the first one that fits `after`. */
static bool find_begin(const struct trace *trace, const struct plan_check_trace *asked,
                       uint32_t *begin, struct err *err)
{
    uint32_t *found OWN(own_mem) = NULL;
    size_t count = 0;
    *begin = trace->initial;
    if (!asked->after)
        return true;
    if (!find_all(trace, asked->after, &found, &count, err))
        return false;
    *begin = count > 0 ? found[0] + 1 : UINT32_MAX;
    return true;
}

struct found {
    uint32_t *ops;
    size_t count;
};

/* Those that fit, from a place on. */
static bool find(const struct trace *trace, const char *words, uint32_t begin, struct found *out,
                 struct err *err)
{
    if (!find_all(trace, words, &out->ops, &out->count, err))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        if (out->ops[i] >= begin)
            out->ops[kept++] = out->ops[i];
    }
    out->count = kept;
    return true;
}

/* One assertion for each kind of op that is counted, or must not be there. */
static bool ask_count(struct scene *scene, const struct plan_check *check,
                      const struct trace *trace, uint32_t begin, struct err *err)
{
    const struct plan_check_trace *asked = &check->trace;
    for (size_t i = 0; asked->ops[i]; i++) {
        struct found found = {0};
        if (!find(trace, asked->ops[i], begin, &found, err))
            return false;
        const int64_t count = (int64_t)found.count;
        char *first OWN(own_mem) = count > 0 ? show(trace, found.ops[0]) : mem_string("");
        char *expected OWN(own_mem) =
            asked->at_least == asked->at_most
                ? mem_format("%" PRId64 " x %s", asked->at_least, asked->ops[i])
                : mem_format("%" PRId64 " or more, at most %" PRId64 ": %s", asked->at_least,
                             asked->at_most, asked->ops[i]);
        char *observed OWN(own_mem) =
            mem_format("%" PRId64 "%s%s", count, count > 0 ? ", the first is " : "", first);
        const struct assertion assertion = {check->name, asked->ops[1] ? asked->ops[i] : NULL,
                                            expected, observed};
        assertions_add(scene->assertions, &assertion,
                       count >= asked->at_least && count <= asked->at_most);
        free(found.ops);
    }
    return true;
}

/* The first op of a kind, from a place on; 0: there is none. */
static bool find_first(const struct trace *trace, const char *words, uint32_t begin, uint32_t *out,
                       struct err *err)
{
    struct found found = {0};
    if (!find(trace, words, begin, &found, err))
        return false;
    *out = found.count > 0 ? found.ops[0] : 0;
    free(found.ops);
    return true;
}

/* Two kinds of ops and the first of each. */
struct pair {
    const char *words[2];
    uint32_t ops[2];
};

static void compare_pair(struct scene *scene, const struct plan_check *check,
                         const struct trace *trace, const struct pair *pair)
{
    const bool has_aspect = check->trace.ops[2] != NULL;
    char *shown[2];
    for (size_t i = 0; i < 2; i++) {
        shown[i] = pair->ops[i] ? show(trace, pair->ops[i]) : mem_format("no %s", pair->words[i]);
    }
    char *expected OWN(own_mem) = mem_format("%s before %s", pair->words[0], pair->words[1]);
    char *observed OWN(own_mem) = mem_format("%s; %s", shown[0], shown[1]);
    const struct assertion assertion = {check->name, has_aspect ? expected : NULL, expected,
                                        observed};
    assertions_add(scene->assertions, &assertion, pair->ops[0] && pair->ops[0] < pair->ops[1]);
    free(shown[0]);
    free(shown[1]);
}

/* The first op of each kind must come behind the first of the kind before: one assertion for each
 * pair of neighbours. */
static bool ask_order(struct scene *scene, const struct plan_check *check,
                      const struct trace *trace, uint32_t begin, struct err *err)
{
    struct pair pair = {{NULL, check->trace.ops[0]}, {0, 0}};
    if (!find_first(trace, pair.words[1], begin, &pair.ops[1], err))
        return false;
    for (size_t i = 1; check->trace.ops[i]; i++) {
        pair.words[0] = pair.words[1];
        pair.ops[0] = pair.ops[1];
        pair.words[1] = check->trace.ops[i];
        if (!find_first(trace, pair.words[1], begin, &pair.ops[1], err))
            return false;
        compare_pair(scene, check, trace, &pair);
    }
    return true;
}

bool check_trace(struct scene *scene, const struct plan_check *check, struct err *err)
{
    const struct ended *ended = scene_find(scene, check->trace.of);
    uint32_t begin = 0;
    if (!ended || !ended->has_trace) {
        check_impossible(scene, check, "a trace", "it has not run yet");
        return true;
    }
    if (!find_begin(&ended->trace, &check->trace, &begin, err))
        return false;
    if (begin == UINT32_MAX) {
        check_impossible(scene, check, check->trace.after, "there is no such op to look behind");
        return true;
    }
    return check->trace.ask == TRACE_ORDER ? ask_order(scene, check, &ended->trace, begin, err)
                                           : ask_count(scene, check, &ended->trace, begin, err);
}
