#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "report.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "words.h"

/* summary.json, version 1. Keys are only ever added, never renamed: programs read this. */

static json_t *number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* JSON is UTF-8: bytes that are none are written as \xNN, all others, newlines too, stay. */
static char *make_utf8(const char *bytes)
{
    enum { ESCAPE_SIZE = 4 };
    size_t left = strlen(bytes);
    char *text = mem_new(left * ESCAPE_SIZE + 1, 1);
    char *to = text;
    while (left > 0) {
        const size_t whole = text_utf8(bytes, left);
        if (whole > 0) {
            memcpy(to, bytes, whole);
        } else {
            snprintf(to, ESCAPE_SIZE + 1, "\\x%02x", (unsigned char)*bytes);
        }
        to += whole ? whole : ESCAPE_SIZE;
        bytes += whole ? whole : 1;
        left -= whole ? whole : 1;
    }
    return text;
}

/* NULL is null. */
static json_t *text(const char *bytes)
{
    if (!bytes)
        return json_null();
    char *utf8 OWN(own_mem) = make_utf8(bytes);
    return json_string(utf8);
}

static json_t *seconds(int64_t ns)
{
    const int64_t microseconds = ns / 1000; /* nobody reads more */
    return json_real((double)microseconds / 1e6);
}

static json_t *words_of(char *const *argv)
{
    json_t *list = json_array();
    for (; argv && *argv; argv++)
        json_array_append_new(list, text(*argv));
    return list;
}

static json_t *recorded(const struct run *run)
{
    const struct words_recorded recorded = words_recorded(run);
    const struct trace_about *about = &run->trace->about;
    json_t *source = json_object();
    json_object_set_new(source, "tracer", number(recorded.ops));
    json_object_set_new(source, "shim", number(0));
    json_t *object = json_object();
    json_object_set_new(object, "processes", number(about->processes));
    json_object_set_new(object, "ops", number(recorded.ops));
    json_object_set_new(object, "syncs", number(recorded.syncs));
    json_object_set_new(object, "bytes", number(recorded.bytes));
    json_object_set_new(object, "seconds", seconds(about->elapsed_ns));
    json_object_set_new(object, "complete", json_true()); /* otherwise nothing is explored */
    json_object_set_new(object, "source", source);
    json_object_set_new(object, "wait_status", json_integer(about->wait_status));
    return object;
}

static json_t *model(const struct model_counts *counts)
{
    json_t *object = json_object();
    json_object_set_new(object, "legal", number(counts->legal));
    json_object_set_new(object, "tried", number(counts->tried));
    json_object_set_new(object, "distinct", number(counts->distinct));
    json_object_set_new(object, "violated", number(counts->violated));
    json_object_set_new(object, "crashed", number(counts->crashed));
    json_object_set_new(object, "hung", number(counts->hung));
    json_object_set_new(object, "flaky", number(counts->flaky));
    if (counts->legal_is_bound)
        json_object_set_new(object, "legal_is_bound", json_true());
    return object;
}

/* The crashes of the recovery: as the models of the first crash, and what both depths share. */
static json_t *models_of_second(const struct run *second)
{
    json_t *object = json_object();
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (!second->model_wanted[i])
            continue;
        json_t *counts = model(&second->models[i]);
        json_object_set_new(counts, "known", number(second->models[i].known));
        json_object_set_new(object, model_name((enum model_kind)i), counts);
    }
    return object;
}

static json_t *models(const struct run *run)
{
    json_t *object = json_object();
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (run->model_wanted[i])
            json_object_set_new(object, model_name((enum model_kind)i), model(&run->models[i]));
    }
    return object;
}

static json_t *verified(const struct verified *verified)
{
    json_t *object = json_object();
    json_object_set_new(object, "seed", number(verified->seed));
    json_object_set_new(object, "tried", number(verified->tried));
    json_object_set_new(object, "equal", number(verified->equal));
    json_object_set_new(object, "same_shape", number(verified->same_shape));
    json_object_set_new(object, "unstable", number(verified->unstable));
    json_object_set_new(object, "skipped", text(verified->skipped));
    return object;
}

static json_t *notes(const struct run *run)
{
    json_t *list = json_array();
    const char **lines OWN(own_mem) = words_notes(run);
    for (const char **line = lines; *line; line++)
        json_array_append_new(list, text(*line));
    return list;
}

static json_t *finding(const struct run *run, const struct finding *finding)
{
    char *replay OWN(own_mem) = words_replay(run, finding);
    json_t *object = json_object();
    json_object_set_new(object, "id", text(finding->id));
    json_object_set_new(object, "key", text(finding->key));
    json_object_set_new(object, "weakest", text(model_name(finding->weakest)));
    json_object_set_new(object, "profiles", json_array()); /* kill and torn need no file system */
    json_object_set_new(object, "states", number(finding->states));
    json_object_set_new(object, "op", number(words_op(run, finding)));
    json_object_set_new(object, "call", text(finding->call));
    json_object_set_new(object, "path", text(finding->path));
    json_object_set_new(object, "where", text(finding->where));
    json_object_set_new(object, "missing", text(finding->missing));
    json_object_set_new(object, "sentence", text(finding->sentence));
    json_object_set_new(object, "replay", text(replay));
    json_object_set_new(object, "cause", text(finding->cause));
    json_object_set_new(object, "why", text(finding->why));
    json_object_set_new(object, "output", text(finding->output));
    json_object_set_new(object, "depth", number(finding->depth > 1 ? finding->depth : 1));
    if (finding->depth > 1) {
        json_object_set_new(object, "first", text(finding->first));
        json_object_set_new(object, "first_is", text(finding->first_is));
        json_object_set_new(object, "op_is", text(finding->op_is));
    }
    return object;
}

static json_t *findings(const struct run *run)
{
    json_t *list = json_array();
    for (size_t i = 0; i < run->findings_count; i++)
        json_array_append_new(list, finding(run, &run->findings[i]));
    return list;
}

static json_t *summary(const struct run *run)
{
    json_t *object = json_object();
    json_object_set_new(object, "schema", text("brink/summary/1"));
    json_object_set_new(object, "version", text(BRINK_VERSION));
    json_object_set_new(object, "worker", words_of(run->trace->about.argv));
    json_object_set_new(object, "result", text(words_result(run)));
    json_object_set_new(object, "recorded", recorded(run));
    json_object_set_new(object, "models", models(run));
    json_object_set_new(object, "checked", number(run_checked(run)));
    json_object_set_new(object, "verified_by_kill", verified(&run->verified));
    json_object_set_new(object, "canary", text(words_canary(run->canary)));
    json_object_set_new(object, "seconds", seconds(run->elapsed_ns));
    json_object_set_new(object, "notes", notes(run));
    json_object_set_new(object, "findings", findings(run));
    const bool is_complete = run->complete && (!run->second || run->second->complete);
    json_object_set_new(object, "complete", json_boolean(is_complete));
    json_object_set_new(object, "recover", text(run->recover));
    json_object_set_new(object, "check", text(run->check));
    json_object_set_new(object, "depth", number(run->second ? 2 : 1));
    if (run->second) {
        json_object_set_new(object, "models2", models_of_second(run->second));
        json_object_set_new(object, "recoveries", number(run->second->trace->recoveries_count));
    }
    return object;
}

static void own_json(json_t **value)
{
    json_decref(*value);
}

static bool write_json(FILE *to, const struct run *run, struct err *err)
{
    enum { DIGITS = 12 }; /* enough for microseconds, too few to show 0.3 as 0.2999... */
    json_t *object OWN(own_json) = summary(run);
    if (json_dumpf(object, to, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) != 0 ||
        fputc('\n', to) == EOF)
        return err_system(err, "write summary.json");
    return true;
}

const struct report report_json = {.name = "json", .file = "summary.json", .write = write_json};
