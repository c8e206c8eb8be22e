#include "wording.h"

#include <stdlib.h>

#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "tracer/states/model_torn.h"

static const struct op *op_at(const struct run *run, uint32_t index)
{
    return index == UINT32_MAX ? NULL : &run->trace->ops[index];
}

/* The op that a torn window is about: there always is one. */
static const struct op *torn_op(const struct run *run, const struct window *window)
{
    CHECK(window->open < run->trace->count);
    return &run->trace->ops[window->open];
}

static uint32_t shown(const struct run *run, uint32_t index)
{
    return index - run->trace->initial + 1;
}

static const char *path_of(const struct run *run, const struct op *op)
{
    return trace_string(run->trace, op->path2 ? op->path2 : op->path);
}

/* What the runs of this state came to, as the end of a sentence. */
static const char *outcome(const struct run *run, const struct window *window)
{
    switch (run->verdicts[window->first].kind) {
    case VERDICT_CRASHED:
        return "ends recovery or check by a signal";
    case VERDICT_HUNG:
        return "makes recovery or check run into the time limit";
    case VERDICT_VIOLATED:
        return run->check ? "leaves a state that the check refuses"
                          : "leaves a state that the worker does not recover from";
    case VERDICT_NONE:
    case VERDICT_HELD:
    case VERDICT_FLAKY:
    case VERDICT_COUNT:
        break;
    }
    return "is not accepted";
}

static char *killed_sentence(const struct run *run, const struct window *window)
{
    const struct op *open = op_at(run, window->open);
    const struct op *close = op_at(run, window->close);
    if (!open && !close)
        return mem_format("every crash, even before the first op, %s", outcome(run, window));
    char *closing OWN(own_mem) = close ? trace_sentence(run->trace, close) : NULL;
    if (!open) {
        return mem_format("a crash before %s (op %u) %s, even before the first op", closing,
                          shown(run, window->close), outcome(run, window));
    }
    char *opening OWN(own_mem) = trace_sentence(run->trace, open);
    if (close) {
        return mem_format("a crash after %s (op %u) and before %s (op %u) %s", opening,
                          shown(run, window->open), closing, shown(run, window->close),
                          outcome(run, window));
    }
    return mem_format(
        "a crash after %s (op %u), up to the end of the run and without any crash, %s", opening,
        shown(run, window->open), outcome(run, window));
}

static char *torn_sentence(const struct run *run, const struct window *window)
{
    char *what OWN(own_mem) = trace_sentence(run->trace, torn_op(run, window));
    const struct op *op = torn_op(run, window);
    if (op->kind == OP_STORE) {
        return mem_format("%s (op %u), through a shared mapping, can reach the file in part, which "
                          "%s (%llu such states)",
                          what, shown(run, window->open), outcome(run, window),
                          (unsigned long long)window->states);
    }
    return mem_format("%s (op %u), stopped part-way, %s (%llu of its %llu strict prefixes)", what,
                      shown(run, window->open), outcome(run, window),
                      (unsigned long long)window->states,
                      (unsigned long long)(op->payload_size - 1));
}

char *wording_sentence(const struct run *run, const struct window *window)
{
    return window->model == MODEL_KILL ? killed_sentence(run, window) : torn_sentence(run, window);
}

/* Whether the op throws an old content away that something later in the window writes anew. */
static bool is_emptied_in_place(const struct op *open, const struct op *close)
{
    return open->kind == OP_TRUNCATE && open->size == 0 && close && close->node == open->node;
}

static char *killed_missing(const struct run *run, const struct op *open, const struct op *close)
{
    if (!open)
        return NULL;
    char *path OWN(own_mem) = text_escape(path_of(run, open), SIZE_MAX);
    if (is_emptied_in_place(open, close))
        return mem_format("the new content of %s under another name, then a rename over it", path);
    if (!close)
        return NULL;
    char *next OWN(own_mem) = text_escape(path_of(run, close), SIZE_MAX);
    if (open->kind == OP_OUTPUT && (open->flags & OP_ACKED))
        return mem_format("the change of %s before the promise on stdout", next);
    if (op_changes_workspace(open) && op_changes_workspace(close) && open->node != close->node)
        return mem_format("one atomic step for %s and %s", path, next);
    return NULL;
}

char *wording_missing(const struct run *run, const struct window *window)
{
    if (window->model == MODEL_KILL)
        return killed_missing(run, op_at(run, window->open), op_at(run, window->close));
    char *path OWN(own_mem) = text_escape(path_of(run, torn_op(run, window)), SIZE_MAX);
    return mem_format("a length or checksum by which recovery tells an incomplete write to %s",
                      path);
}

static bool has_page_edge(const struct run *run, const struct window *window)
{
    const struct op *op = torn_op(run, window);
    for (size_t i = window->first; i < run->states_count && run->states[i].op <= window->open;
         i++) {
        const struct state *state = &run->states[i];
        if (state->model == MODEL_TORN && window_is_violation(&run->verdicts[i]) &&
            model_torn_is_page_edge(op, state->variant))
            return true;
    }
    return false;
}

char *wording_cause(const struct run *run, const struct window *window)
{
    if (window->model != MODEL_TORN)
        return NULL;
    if (torn_op(run, window)->kind == OP_STORE) {
        return mem_string(
            "pages of a shared mapping are written back one by one, at any time and in "
            "any order: a power loss leaves some without the others");
    }
    if (has_page_edge(run, window)) {
        return mem_string(
            "a kill can do this: it stops a long write at a page edge; other lengths "
            "need a full disk, a size limit or signal, a network or FUSE file system, "
            "or a power loss");
    }
    return mem_string(
        "a full disk, a size limit or signal, a network or FUSE file system, or a power "
        "loss; a kill alone stops writes only at page edges");
}
