#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "outputs.h"
#include "tracer/base/mem.h"

/* A state of the whole, to be found by its id. */
struct entry {
    const char *id;
    size_t index;
};

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->id, ((const struct entry *)b)->id);
}

static struct entry *index_states(const struct run *run)
{
    struct entry *entries = mem_new(run->states_count + 1, sizeof *entries);
    for (size_t i = 0; i < run->states_count; i++)
        entries[i] = (struct entry){.id = run->states[i].id, .index = i};
    qsort(entries, run->states_count, sizeof *entries, by_id);
    return entries;
}

static void take(struct verdict *to, struct verdict *from)
{
    if (to->kind == VERDICT_NONE) {
        const uint32_t state = to->state;
        *to = *from;
        to->state = state;
        *from = (struct verdict){0};
        return;
    }
    if (to->kind == from->kind)
        return;
    to->kind = VERDICT_FLAKY;
    free(to->why);
    to->why = mem_string("two of the joined runs gave two answers");
}

size_t merge_verdicts(struct run *whole, struct run *part)
{
    struct entry *entries = index_states(whole);
    size_t strangers = 0;
    for (size_t i = 0; i < part->states_count; i++) {
        if (part->verdicts[i].kind == VERDICT_NONE)
            continue;
        const struct entry key = {.id = part->states[i].id};
        const struct entry *found =
            bsearch(&key, entries, whole->states_count, sizeof *entries, by_id);
        if (found == NULL) {
            strangers++;
            continue;
        }
        take(&whole->verdicts[found->index], &part->verdicts[i]);
    }
    free(entries);
    return strangers;
}

static bool has_note(const struct run *run, const char *note)
{
    for (size_t i = 0; i < run->notes_count; i++) {
        if (strcmp(run->notes[i], note) == 0)
            return true;
    }
    return false;
}

void merge_figures(struct run *whole, struct run *part)
{
    struct verified *sum = &whole->verified;
    const struct verified *more = &part->verified;
    if (sum->tried == 0) {
        sum->seed = more->seed;
        memcpy(sum->skipped, more->skipped, sizeof sum->skipped);
    }
    sum->tried += more->tried;
    sum->equal += more->equal;
    sum->same_shape += more->same_shape;
    sum->unstable += more->unstable;
    whole->elapsed_ns += part->elapsed_ns;
    if (part->canary > whole->canary)
        whole->canary = part->canary;
    for (size_t i = 0; i < part->notes_count; i++) {
        if (!has_note(whole, part->notes[i]))
            outputs_note(whole, mem_string(part->notes[i]));
    }
}

bool merge_is_whole(const uint32_t *present, size_t count, uint32_t shards, uint32_t *missing)
{
    for (uint32_t shard = 0; shard < shards; shard++) {
        bool is_there = false;
        for (size_t i = 0; i < count; i++)
            is_there = is_there || present[i] == shard;
        if (is_there)
            continue;
        *missing = shard;
        return false;
    }
    return true;
}
