#include "group.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "window.h"
#include "wording.h"

/* A path with every run of digits as one '#': the pattern under which temporary and numbered files
 * are the same from run to run. */
static char *path_pattern(const char *path)
{
    char *pattern = mem_string(path);
    size_t used = 0;
    for (const char *at = path; *at; at++) {
        const bool is_digit = isdigit((unsigned char)*at) != 0;
        if (is_digit && used > 0 && pattern[used - 1] == '#')
            continue;
        pattern[used] = *at;
        if (is_digit)
            pattern[used] = '#';
        used++;
    }
    pattern[used] = '\0';
    return pattern;
}

/* The op that a finding is about. A window that is open from the start is about the first op. */
static uint32_t op_of(const struct run *run, const struct window *window)
{
    return window->open == UINT32_MAX ? run->trace->initial : window->open;
}

static void fill_key(const struct run *run, const struct op *op, struct finding *finding)
{
    const struct trace_frame *frame = op ? trace_frame_of(run->trace, op) : NULL;
    char *pattern OWN(own_mem) = path_pattern(finding->path);
    char *missing OWN(own_mem) = finding->missing ? path_pattern(finding->missing) : NULL;
    const char *function = frame ? trace_string(run->trace, frame->function) : "";
    char *text OWN(own_mem) =
        mem_format("%s\n%s\n%s\n%s", finding->call, pattern, function, missing ? missing : "");
    snprintf(finding->key, sizeof finding->key, "%016" PRIx64, XXH3_64bits(text, strlen(text)));
}

static char *copy_or_null(const char *text)
{
    return text ? mem_string(text) : NULL;
}

struct finding group_window(const struct run *run, const struct window *window)
{
    const uint32_t index = op_of(run, window);
    const struct op *op = index < run->trace->count ? &run->trace->ops[index] : NULL;
    const struct verdict *verdict = &run->verdicts[window->first];
    struct finding finding = {
        .weakest = window->model,
        .states = window->states,
        .depth = 1,
        .op = index,
        .call = mem_string(op ? op_call_name(op) : ""),
        .path = mem_string(op ? trace_string(run->trace, op->path) : ""),
        .where = op ? trace_where(run->trace, op) : NULL,
        .missing = wording_missing(run, window),
        .sentence = wording_sentence(run, window),
        .cause = wording_cause(run, window),
        .why = copy_or_null(verdict->why),
        .output = copy_or_null(verdict->output),
    };
    memcpy(finding.replay, run->states[window->first].id, sizeof finding.replay);
    fill_key(run, op, &finding);
    return finding;
}

static void drop(struct finding *finding)
{
    free(finding->call);
    free(finding->path);
    free(finding->where);
    free(finding->missing);
    free(finding->sentence);
    free(finding->cause);
    free(finding->why);
    free(finding->output);
    free(finding->first_is);
    free(finding->op_is);
}

/* Windows with one key are one cause met several times: the first stands for all. */
static bool join(struct run *run, const struct finding *finding)
{
    for (size_t i = 0; i < run->findings_count; i++) {
        struct finding *known = &run->findings[i];
        if (known->weakest == finding->weakest && strcmp(known->key, finding->key) == 0) {
            known->states += finding->states;
            return true;
        }
    }
    return false;
}

void group_add(struct run *run, struct finding *finding)
{
    if (join(run, finding)) {
        drop(finding);
        return;
    }
    size_t capacity = run->findings_count;
    mem_grow(&run->findings, &capacity, run->findings_count + 1, sizeof *run->findings);
    snprintf(finding->id, sizeof finding->id, "F%u", (unsigned)run->findings_count + 1);
    run->findings[run->findings_count++] = *finding;
}

void group_findings(struct run *run)
{
    struct window *windows OWN(own_mem) = NULL;
    const size_t count = window_find(run, &windows);
    for (size_t i = 0; i < count; i++) {
        struct finding finding = group_window(run, &windows[i]);
        group_add(run, &finding);
    }
}
