/* Reads a barrier from its words. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "barrier.h"
#include "barrier_call.h"
#include "pattern.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { EXIT_STATUS_MAX = 255 };

struct reading {
    struct barrier *barrier;
    const char *at;
    unsigned seen; /* bit for each key */
};

static bool read_name(struct barrier *out, const char *value, struct err *err)
{
    (void)err;
    out->name = mem_string(value);
    return true;
}

static bool read_call(struct barrier *out, const char *value, struct err *err)
{
    out->call = mem_string(value);
    return barrier_call_find(value) != NULL ||
           err_usage(err, "barrier: no call is named %.80s; there are %s", value,
                     barrier_call_families());
}

static bool read_path(struct barrier *out, const char *value, struct err *err)
{
    (void)err;
    out->path = mem_string(value);
    return true;
}

static bool read_peer(struct barrier *out, const char *value, struct err *err)
{
    (void)err;
    out->peer = mem_string(value);
    return true;
}

/* /REGEX/, or the bytes themselves. */
static bool read_text(const char *value, struct barrier_text *out, struct err *err)
{
    const size_t size = strlen(value);
    struct pattern *pattern = NULL;
    out->is_regex = size > 2 && value[0] == '/' && value[size - 1] == '/';
    out->text = out->is_regex ? mem_range(value + 1, size - 2) : mem_string(value);
    if (!pattern_new(out, &pattern, err))
        return err_while(err, "barrier");
    pattern_free(pattern);
    return true;
}

static bool read_contains(struct barrier *out, const char *value, struct err *err)
{
    return read_text(value, &out->contains, err);
}

static bool read_covers(struct barrier *out, const char *value, struct err *err)
{
    return read_text(value, &out->covers, err);
}

static bool read_number(const char *value, uint64_t least, uint64_t *out)
{
    char *end = NULL;
    if (!isdigit((unsigned char)*value))
        return false;
    *out = strtoull(value, &end, 10);
    return *end == '\0' && *out >= least && *out <= INT64_MAX;
}

static bool read_nth(struct barrier *out, const char *value, struct err *err)
{
    return read_number(value, 1, &out->nth) ||
           err_usage(err, "barrier: nth=%.80s is no number from 1 up", value);
}

static bool read_bytes(struct barrier *out, const char *value, struct err *err)
{
    return read_number(value, 0, &out->bytes) ||
           err_usage(err, "barrier: bytes=%.80s is no number", value);
}

static bool read_where(struct barrier *out, const char *value, struct err *err)
{
    if (strcmp(value, "before") == 0) {
        out->where = BARRIER_BEFORE;
    } else if (strcmp(value, "inside") == 0) {
        out->where = BARRIER_INSIDE;
    } else if (strcmp(value, "after") == 0) {
        out->where = BARRIER_AFTER;
    } else {
        return err_usage(err, "barrier: where=%.80s; allowed are before, inside and after", value);
    }
    return true;
}

static bool read_do(struct barrier *out, const char *value, struct err *err)
{
    static const char prefix[] = "exit:";
    const bool is_exit = strncmp(value, prefix, sizeof prefix - 1) == 0;
    const char *digits = is_exit ? value + sizeof prefix - 1 : "";
    char *end = NULL;
    unsigned long long status = EXIT_STATUS_MAX + 1;
    if (strcmp(value, "kill") == 0)
        return true;
    if (isdigit((unsigned char)*digits))
        status = strtoull(digits, &end, 10);
    if (status > EXIT_STATUS_MAX || *end != '\0')
        return err_usage(err, "barrier: do=%.80s; allowed are kill and exit:0 to exit:255", value);
    out->does_exit = true;
    out->exit_status = (int)status;
    return true;
}

/* sync may stand alone. */
static bool read_sync(struct barrier *out, const char *value, struct err *err)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0) {
        return err_usage(err, "barrier: sync=%.80s; allowed are sync, sync=true and sync=false",
                         value);
    }
    out->want_sync = strcmp(value, "true") == 0;
    return true;
}

static const struct {
    const char *key;
    bool (*read)(struct barrier *out, const char *value, struct err *err);
} keys[] = {
    {"call", read_call},
    {"name", read_name},
    {"path", read_path},
    {"peer", read_peer},
    {"contains", read_contains},
    {"covers", read_covers},
    {"nth", read_nth},
    {"where", read_where},
    {"bytes", read_bytes},
    {"sync", read_sync},
    {"do", read_do},
};

static bool set(struct reading *reading, const char *key, const char *value, struct err *err)
{
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].key, key) != 0)
            continue;
        if ((reading->seen >> i & 1) != 0)
            return err_usage(err, "barrier: %s stands there twice", key);
        if (*value == '\0')
            return err_usage(err, "barrier: %s= has no value", key);
        reading->seen |= 1U << i;
        return keys[i].read(reading->barrier, value, err);
    }
    return err_usage(err,
                     "barrier: unknown word %.80s=; allowed are path, peer, contains, covers, nth, "
                     "where, bytes, sync, do and name",
                     key);
}

/* The value at reading->at, without its quotes; NULL and *err when it is no value. */
static char *take_value(struct reading *reading, struct err *err)
{
    const char *from = reading->at;
    if (*from != '\'' && *from != '"') {
        reading->at += strcspn(from, " \t\n");
        return mem_range(from, (size_t)(reading->at - from));
    }
    const char *end = strchr(from + 1, *from);
    if (end == NULL) {
        err_usage(err, "barrier: the quote in %.100s is not closed", from);
        return NULL;
    }
    reading->at = end + 1;
    if (*reading->at != '\0' && strchr(" \t\n", *reading->at) == NULL) {
        err_usage(err, "barrier: a space must follow the quote in %.100s", from);
        return NULL;
    }
    return mem_range(from + 1, (size_t)(end - from - 1));
}

static bool take_word(struct reading *reading, struct err *err)
{
    const char *from = reading->at;
    reading->at += strcspn(from, "= \t\n");
    char *key OWN(own_mem) = mem_range(from, (size_t)(reading->at - from));
    if (*reading->at == '=') {
        reading->at++;
        char *value OWN(own_mem) = take_value(reading, err);
        return value != NULL && set(reading, key, value, err);
    }
    if (reading->barrier->call == NULL)
        return set(reading, "call", key, err);
    if (strcmp(key, "sync") == 0)
        return set(reading, "sync", "true", err);
    return err_usage(err,
                     "barrier: the word %.80s has no value; only sync and the call, which is %s "
                     "here, have none",
                     key, reading->barrier->call);
}

static bool gives_bytes(const struct reading *reading)
{
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(keys[i].key, "bytes") == 0)
            return (reading->seen >> i & 1) != 0;
    }
    return false;
}

static bool has_kinds(const struct barrier_call *call, uint32_t kinds)
{
    return (call->kinds & kinds) != 0;
}

static bool check_bytes(const struct barrier *barrier, bool has_bytes, struct err *err)
{
    if (barrier->where == BARRIER_INSIDE && !has_bytes)
        return err_usage(err, "barrier: where=inside needs bytes=N: how many bytes are done");
    if (barrier->where != BARRIER_INSIDE && has_bytes)
        return err_usage(err, "barrier: bytes= goes with where=inside only");
    return true;
}

/* What a call of one kind cannot be asked. */
static bool check_call(const struct barrier *barrier, struct err *err)
{
    const struct barrier_call *call = barrier_call_find(barrier->call);
    const uint32_t sends = BARRIER_CALL_FILES | BARRIER_CALL_KIND(OP_SEND);
    const uint32_t streams = sends | BARRIER_CALL_KIND(OP_RECEIVE);
    if (barrier->contains.text != NULL && !has_kinds(call, streams)) {
        return err_usage(err,
                         "barrier: %s has no bytes that contains= could look at; a sync that "
                         "makes a record durable is found by covers=",
                         call->name);
    }
    if (barrier->contains.text != NULL && barrier->where != BARRIER_AFTER &&
        !has_kinds(call, sends)) {
        return err_usage(err,
                         "barrier: what is received is known when it is there: contains= of "
                         "%s needs where=after",
                         call->name);
    }
    if (barrier->covers.text != NULL && !has_kinds(call, BARRIER_CALL_SYNCS))
        return err_usage(err, "barrier: covers= goes with a sync, not with %s", call->name);
    if (barrier->where == BARRIER_INSIDE && !has_kinds(call, sends)) {
        return err_usage(err, "barrier: where=inside goes with calls that write, not with %s",
                         call->name);
    }
    if (barrier->want_sync && !has_kinds(call, BARRIER_CALL_FILES))
        return err_usage(err, "barrier: sync goes with calls that write, not with %s", call->name);
    return true;
}

static bool check_filters(const struct barrier *barrier, struct err *err)
{
    const struct barrier_call *call = barrier_call_find(barrier->call);
    const bool is_write = has_kinds(call, BARRIER_CALL_FILES);
    if (barrier->peer != NULL && barrier->path != NULL)
        return err_usage(err, "barrier: path= and peer= exclude each other");
    if (barrier->peer != NULL && !is_write && !has_kinds(call, BARRIER_CALL_PEERS))
        return err_usage(err, "barrier: %s has no peer", call->name);
    if (barrier->path != NULL && !has_kinds(call, ~BARRIER_CALL_PEERS)) {
        return err_usage(err, "barrier: %s has no path; peer= says who is at the other end",
                         call->name);
    }
    return true;
}

static bool read_words(struct reading *reading, struct err *err)
{
    for (;;) {
        reading->at += strspn(reading->at, " \t\n");
        if (*reading->at == '\0')
            break;
        if (!take_word(reading, err))
            return false;
    }
    struct barrier *barrier = reading->barrier;
    if (barrier->call == NULL)
        return err_usage(err, "barrier: no call is named; there are %s", barrier_call_families());
    if (!check_bytes(barrier, gives_bytes(reading), err) || !check_call(barrier, err) ||
        !check_filters(barrier, err))
        return false;
    if (barrier->where == BARRIER_INSIDE && barrier->bytes == 0)
        barrier->where = BARRIER_BEFORE; /* so that a row of lengths may begin with none */
    return true;
}

bool barrier_parse(const char *words, struct barrier *out, struct err *err)
{
    struct barrier barrier = {.nth = 1};
    struct reading reading = {.barrier = &barrier, .at = words};
    if (!read_words(&reading, err)) {
        barrier_fini(&barrier);
        return false;
    }
    *out = barrier;
    return true;
}
