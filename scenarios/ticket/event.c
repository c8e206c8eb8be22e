#include "event.h"

#include <limits.h>
#include <string.h>

static const char *const names[EVENT_TYPES] = {
    [EVENT_STARTED] = "STARTED",
    [EVENT_COMPUTE_STARTED] = "COMPUTE_STARTED",
    [EVENT_COMPUTE_FINISHED] = "COMPUTE_FINISHED",
    [EVENT_ACTION_REQUESTED] = "ACTION_REQUESTED",
    [EVENT_ACTION_CONFIRMED] = "ACTION_CONFIRMED",
    [EVENT_RECONCILED] = "RECONCILED",
    [EVENT_COMPLETED] = "COMPLETED",
    [EVENT_HOLD_UNKNOWN] = "HOLD_UNKNOWN",
};

const char *event_type_name(enum event_type type)
{
    return names[type];
}

char *event_write(const struct event *event)
{
    json_t *root = json_pack("{ss ss si si ss ss? ss? sI ss?}", "job_id", event->job_id, "event_id",
                             event->event_id, "attempt", event->attempt, "step", event->step,
                             "event_type", names[event->type], "action_id", event->action_id,
                             "payload_digest", event->payload_digest, "emitted_at_ms",
                             (json_int_t)event->emitted_at_ms, "detail", event->detail);
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
    return text;
}

static bool is_text_or_null(const json_t *value)
{
    return json_is_string(value) || json_is_null(value);
}

static bool read_fields(struct event *event, json_t *root)
{
    const json_t *action = json_object_get(root, "action_id");
    const json_t *digest = json_object_get(root, "payload_digest");
    const json_t *detail = json_object_get(root, "detail");
    const char *type = "";
    json_int_t emitted = 0;
    enum { FIELDS = 9 };
    if (json_unpack(root, "{ss ss si si ss sI}", "job_id", &event->job_id, "event_id",
                    &event->event_id, "attempt", &event->attempt, "step", &event->step,
                    "event_type", &type, "emitted_at_ms", &emitted) != 0 ||
        json_object_size(root) != FIELDS || !is_text_or_null(action) || !is_text_or_null(digest) ||
        !is_text_or_null(detail) || event->attempt < 1 || event->step < 1)
        return false;
    event->action_id = json_string_value(action);
    event->payload_digest = json_string_value(digest);
    event->detail = json_string_value(detail);
    event->emitted_at_ms = emitted;
    for (int i = 0; i < EVENT_TYPES; i++) {
        if (strcmp(names[i], type) == 0) {
            event->type = (enum event_type)i;
            return true;
        }
    }
    return false;
}

bool event_read(struct event *event, const char *text, size_t size, struct fail *fail)
{
    json_error_t error = {.text = "not the nine fields of an event"};
    struct event read = {.root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error)};
    if (read.root && read_fields(&read, read.root)) {
        *event = read;
        return true;
    }
    fail_with(fail, EXIT_CODE_REFUSED, "damaged event: %s",
              read.root ? "not the nine fields of an event" : error.text);
    json_decref(read.root);
    return false;
}

void event_fini(struct event *event)
{
    json_decref(event->root);
    *event = (struct event){0};
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

const char *event_difference(const struct event *a, const struct event *b)
{
    const struct {
        const char *name;
        bool is_same;
    } fields[] = {
        {"job_id", is_same(a->job_id, b->job_id)},
        {"event_id", is_same(a->event_id, b->event_id)},
        {"attempt", a->attempt == b->attempt},
        {"step", a->step == b->step},
        {"event_type", a->type == b->type},
        {"action_id", is_same(a->action_id, b->action_id)},
        {"payload_digest", is_same(a->payload_digest, b->payload_digest)},
        {"emitted_at_ms", a->emitted_at_ms == b->emitted_at_ms},
        {"detail", is_same(a->detail, b->detail)},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].is_same)
            return fields[i].name;
    }
    return NULL;
}
