#include "barrier_matcher.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "barrier_call.h"
#include "pattern.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* A file is written at offsets: a header here, a log there. So it has several tails, each of which
 * goes on where a write begins at its end; the ones used longest ago make room. */
enum { TAILS = 8, PIECE_SIZE = 65536 };

struct tail {
    struct pattern_tail bytes;
    uint64_t end;  /* offset in the file */
    uint64_t used; /* when */
};

struct stream {
    struct tail tails[TAILS];
    size_t count;
};

/* Records that covers= asks for and that no sync has made durable. */
struct record {
    uint32_t node, op;
    uint64_t count;
    bool has_path; /* its file's path fits */
};

struct barrier_matcher {
    const struct barrier *barrier;
    const struct trace *trace;
    struct barrier_source source;
    const struct barrier_call *call;
    struct pattern *pattern; /* of contains or covers; NULL: neither */
    struct map streams;      /* to struct stream * */
    uint64_t clock;
    struct record *records;
    size_t records_count, records_capacity;
};

static bool read_trace(const void *context, uint64_t at, void *to, size_t size, struct err *err)
{
    return trace_read(context, at, to, size, err);
}

struct barrier_source barrier_source_of(const struct trace *trace)
{
    return (struct barrier_source){.read = read_trace, .context = trace};
}

struct barrier_matcher *barrier_matcher_new(const struct barrier *barrier,
                                            const struct trace *trace,
                                            const struct barrier_source *source)
{
    struct barrier_matcher *matcher = mem_new(1, sizeof *matcher);
    struct err err = {0};
    matcher->barrier = barrier;
    matcher->trace = trace;
    matcher->source = *source;
    matcher->call = barrier_call_find(barrier->call);
    CHECK(matcher->call != NULL);
    const struct barrier_text *text =
        barrier->covers.text != NULL ? &barrier->covers : &barrier->contains;
    CHECK(text->text == NULL || pattern_new(text, &matcher->pattern, &err));
    return matcher;
}

static struct stream *stream_of(uint64_t value)
{
    return (void *)(uintptr_t)value; /* NOLINT(performance-no-int-to-ptr): a map of numbers */
}

void barrier_matcher_free(struct barrier_matcher *matcher)
{
    size_t at = 0;
    uint64_t key, value;
    if (matcher == NULL)
        return;
    while (map_next(&matcher->streams, &at, &key, &value)) {
        struct stream *stream = stream_of(value);
        for (size_t i = 0; i < stream->count; i++)
            pattern_tail_fini(&stream->tails[i].bytes);
        free(stream);
    }
    map_fini(&matcher->streams);
    pattern_free(matcher->pattern);
    free(matcher->records);
    free(matcher);
}

static bool is_kind(const struct op *op, uint32_t kinds)
{
    return (kinds & BARRIER_CALL_KIND(op->kind)) != 0;
}

static bool fits_glob(const struct barrier_matcher *matcher, const char *glob, uint32_t string)
{
    return string != 0 && fnmatch(glob, trace_string(matcher->trace, string), 0) == 0;
}

/* The workspace itself has no path in it; it is called "." here as in the sentences for people. */
static bool fits_workspace(const struct op *op, const char *glob)
{
    return op->path == 0 && op->node == NODE_ROOT && op->kind < OP_SYNC_ALL &&
           fnmatch(glob, ".", 0) == 0;
}

/* "tcp 127.0.0.1:80" is asked for with or without its protocol. */
static bool fits_peer(const struct barrier_matcher *matcher, uint32_t string)
{
    const char *peer = trace_string(matcher->trace, string);
    const char *space = strchr(peer, ' ');
    return fnmatch(matcher->barrier->peer, peer, 0) == 0 ||
           (space != NULL && fnmatch(matcher->barrier->peer, space + 1, 0) == 0);
}

/* Path and peer. A sync of everything has no path of its own: with covers= the record's counts. */
static bool fits_place(const struct barrier_matcher *matcher, const struct op *op)
{
    const struct barrier *barrier = matcher->barrier;
    const bool has_peer = is_kind(op, BARRIER_CALL_PEERS);
    if (barrier->peer != NULL)
        return has_peer && fits_peer(matcher, op->path);
    if (barrier->path == NULL || (op->kind == OP_SYNC_ALL && barrier->covers.text != NULL))
        return true;
    return !has_peer &&
           (fits_glob(matcher, barrier->path, op->path) ||
            fits_glob(matcher, barrier->path, op->path2) || fits_workspace(op, barrier->path));
}

/* Content of files goes by its node, other output by its name, and the two directions of a
 * connection are two streams. */
static uint64_t stream_key(const struct op *op)
{
    const uint64_t number = op->kind == OP_OUTPUT ? op->path : op->node;
    const uint64_t kind = op->kind == OP_STORE ? OP_WRITE : op->kind;
    return kind << 32 | number;
}

static bool is_at_offset(const struct op *op)
{
    return op->kind == OP_WRITE || op->kind == OP_STORE;
}

/* The tail that the op goes on from, or NULL. */
static struct tail *find_tail(const struct barrier_matcher *matcher, const struct op *op)
{
    uint64_t value;
    if (!map_get(&matcher->streams, stream_key(op), &value))
        return NULL;
    struct stream *stream = stream_of(value);
    if (!is_at_offset(op))
        return &stream->tails[0];
    for (size_t i = 0; i < stream->count; i++) {
        if (stream->tails[i].end == op->offset)
            return &stream->tails[i];
    }
    return NULL;
}

static struct tail *make_tail(struct barrier_matcher *matcher, const struct op *op)
{
    uint64_t value;
    struct stream *stream;
    if (map_get(&matcher->streams, stream_key(op), &value)) {
        stream = stream_of(value);
    } else {
        stream = mem_new(1, sizeof *stream);
        map_put(&matcher->streams, stream_key(op), (uint64_t)(uintptr_t)stream);
    }
    size_t oldest = 0;
    for (size_t i = 0; i < stream->count; i++) {
        if (stream->tails[i].used < stream->tails[oldest].used)
            oldest = i;
    }
    if (stream->count < TAILS)
        oldest = stream->count++;
    struct tail *tail = &stream->tails[oldest];
    pattern_tail_fini(&tail->bytes);
    *tail = (struct tail){0};
    return tail;
}

/* How many matches the op's bytes complete on the given tail. */
static bool feed(const struct barrier_matcher *matcher, struct pattern_tail *tail,
                 const struct op *op, uint64_t *times, struct err *err)
{
    char *piece OWN(own_mem) = mem_new(PIECE_SIZE, 1);
    *times = 0;
    for (uint64_t done = 0; done < op->payload_size;) {
        const uint64_t left = op->payload_size - done;
        const size_t size = left < PIECE_SIZE ? (size_t)left : PIECE_SIZE;
        if (!matcher->source.read(matcher->source.context, op->payload + done, piece, size, err))
            return err_while(err, "look for the barrier");
        *times += pattern_feed(matcher->pattern, tail, piece, size);
        done += size;
    }
    return true;
}

static bool has_bytes(const struct op *op)
{
    return is_at_offset(op) || op->kind == OP_OUTPUT || op->kind == OP_SEND ||
           op->kind == OP_RECEIVE;
}

static bool add_bytes(struct barrier_matcher *matcher, const struct op *op, uint64_t *times,
                      struct err *err)
{
    struct tail *tail = find_tail(matcher, op);
    if (tail == NULL)
        tail = make_tail(matcher, op);
    tail->used = ++matcher->clock;
    tail->end = op->offset + op->payload_size;
    return feed(matcher, &tail->bytes, op, times, err);
}

static bool ask_bytes(const struct barrier_matcher *matcher, const struct op *op, uint64_t *times,
                      struct err *err)
{
    const struct pattern_tail nothing = {0};
    const struct tail *tail = find_tail(matcher, op);
    struct pattern_tail copy = pattern_tail_copy(tail != NULL ? &tail->bytes : &nothing);
    const bool is_done = feed(matcher, &copy, op, times, err);
    pattern_tail_fini(&copy);
    return is_done;
}

static bool is_covered(const struct barrier_matcher *matcher, const struct record *record,
                       const struct op *sync)
{
    if (sync->error != 0 || record->op >= sync->enter)
        return false;
    if (sync->kind == OP_SYNC_ALL)
        return record->has_path;
    if (sync->node != record->node)
        return false;
    if (sync->kind == OP_SYNC)
        return true;
    const struct op *write = &matcher->trace->ops[record->op];
    return sync->kind == OP_SYNC_MAP && write->offset >= sync->offset &&
           write->offset + write->payload_size <= sync->offset + sync->size;
}

static uint64_t count_covered(const struct barrier_matcher *matcher, const struct op *sync)
{
    uint64_t times = 0;
    for (size_t i = 0; i < matcher->records_count; i++) {
        if (is_covered(matcher, &matcher->records[i], sync))
            times += matcher->records[i].count;
    }
    return times;
}

/* Durable is durable: a later sync makes it no more so. */
static void drop_covered(struct barrier_matcher *matcher, const struct op *sync)
{
    size_t kept = 0;
    for (size_t i = 0; i < matcher->records_count; i++) {
        if (!is_covered(matcher, &matcher->records[i], sync))
            matcher->records[kept++] = matcher->records[i];
    }
    matcher->records_count = kept;
}

static bool add_record(struct barrier_matcher *matcher, uint32_t index, struct err *err)
{
    const struct op *op = &matcher->trace->ops[index];
    uint64_t count = 0;
    if (!add_bytes(matcher, op, &count, err))
        return false;
    if (count == 0 || (op->flags & (OP_DSYNC | OP_FSYNC)) != 0)
        return true;
    mem_grow(&matcher->records, &matcher->records_capacity, matcher->records_count + 1,
             sizeof *matcher->records);
    const char *glob = matcher->barrier->path;
    matcher->records[matcher->records_count++] =
        (struct record){.node = op->node,
                        .op = index,
                        .count = count,
                        .has_path = glob == NULL || fits_glob(matcher, glob, op->path)};
    return true;
}

static bool add_covering(struct barrier_matcher *matcher, uint32_t index, uint64_t *times,
                         struct err *err)
{
    const struct op *op = &matcher->trace->ops[index];
    if (is_at_offset(op))
        return add_record(matcher, index, err);
    if (!is_kind(op, BARRIER_CALL_SYNCS))
        return true;
    if (barrier_call_fits(matcher->call, op) && fits_place(matcher, op))
        *times = count_covered(matcher, op);
    drop_covered(matcher, op);
    return true;
}

bool barrier_matcher_ask(const struct barrier_matcher *matcher, const struct op *op,
                         uint64_t *times, struct err *err)
{
    *times = 0;
    if (!barrier_call_fits(matcher->call, op) || !fits_place(matcher, op))
        return true;
    if (matcher->barrier->covers.text != NULL) {
        *times = count_covered(matcher, op);
        return true;
    }
    *times = 1;
    return matcher->pattern == NULL || ask_bytes(matcher, op, times, err);
}

bool barrier_matcher_add(struct barrier_matcher *matcher, uint32_t index, uint64_t *times,
                         struct err *err)
{
    const struct op *op = &matcher->trace->ops[index];
    *times = 0;
    if (matcher->barrier->covers.text != NULL)
        return add_covering(matcher, index, times, err);
    if (!fits_place(matcher, op))
        return true;
    const bool fits = barrier_call_fits(matcher->call, op);
    uint64_t found = 1;
    if (matcher->pattern != NULL) {
        found = 0;
        if (has_bytes(op) && !add_bytes(matcher, op, &found, err))
            return false;
    }
    if (fits && op->error == 0)
        *times = found;
    return true;
}

bool barrier_find(const struct barrier *barrier, const struct trace *trace, uint32_t **out,
                  size_t *count, struct err *err)
{
    const struct barrier_source source = barrier_source_of(trace);
    struct barrier_matcher *matcher = barrier_matcher_new(barrier, trace, &source);
    uint32_t *found = NULL;
    size_t capacity = 0, have = 0;
    bool is_done = true;
    for (uint32_t i = trace->initial; is_done && i < trace->count; i++) {
        uint64_t times = 0;
        is_done = barrier_matcher_add(matcher, i, &times, err);
        for (; times > 0; times--) {
            mem_grow(&found, &capacity, have + 1, sizeof *found);
            found[have++] = i;
        }
    }
    barrier_matcher_free(matcher);
    if (!is_done) {
        free(found);
        return false;
    }
    *out = found;
    *count = have;
    return true;
}
