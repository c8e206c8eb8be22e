#include "store_example_test.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "robust_place.h"
#include "trace_writer.h"
#include "tracer/base/mem.h"

char store_example_folder[64];
int store_example_fd = -1;

void store_example_make(void)
{
    snprintf(store_example_folder, sizeof store_example_folder, "/tmp/store_test-XXXXXX");
    cr_assert_not_null(mkdtemp(store_example_folder));
    store_example_fd = open(store_example_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cr_assert_geq(store_example_fd, 0);
}

void store_example_remove(void)
{
    static const char *const names[] = {"run.db", "run.db-wal", "run.db-shm", "run.db-journal",
                                        "run.payload"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(store_example_fd, names[i], 0);
    close(store_example_fd);
    cr_expect_eq(rmdir(store_example_folder), 0, "the store leaves no other files: %s",
                 strerror(errno));
}

struct store *store_example_create(void)
{
    struct store *store = NULL;
    struct err err = {0};
    cr_assert(store_create(store_example_fd, &store, &err), "%s", err.text);
    return store;
}

struct store *store_example_open(bool want_write)
{
    struct store *store = NULL;
    struct err err = {0};
    cr_assert(store_open(store_example_fd, want_write, &store, &err), "%s", err.text);
    return store;
}

static uint64_t next_random(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15u;
    uint64_t z = *seed;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static const char *const odd_names[] = {"db", "a\nb", "\xff\xfe", "\"'`;--", "\x01\x1b[31m", "é"};
enum { ODD_NAMES = sizeof odd_names / sizeof *odd_names, ODD_STACKS = 9 };

/* An op with every field set to something, also values that fill the type. */
static struct op random_op(struct trace_writer *writer, uint64_t *seed)
{
    struct trace *trace = writer->trace;
    struct err err = {0};
    struct op op;
    for (size_t i = 0; i < sizeof op; i++)
        ((unsigned char *)&op)[i] = (unsigned char)next_random(seed);
    op.kind = (uint8_t)(next_random(seed) % OP_KIND_COUNT);
    op.flags &= (uint16_t)~OP_MORE;
    op.error &= 0xff;
    op.enter = (uint32_t)(next_random(seed) % (trace->count + 1));
    uint32_t *const strings[] = {&op.name, &op.name2, &op.path, &op.path2};
    for (size_t i = 0; i < 4; i++)
        *strings[i] = strings_add(&trace->strings, odd_names[next_random(seed) % ODD_NAMES]);
    uint32_t *const nodes[] = {&op.node, &op.node2, &op.dir, &op.dir2};
    for (size_t i = 0; i < 4; i++)
        *nodes[i] = (uint32_t)(next_random(seed) % trace->nodes);
    op.stack = (uint32_t)(next_random(seed) % trace->stacks_count);
    op.payload_size = next_random(seed) % 300;
    char bytes[300];
    memset(bytes, (int)next_random(seed), sizeof bytes);
    cr_assert(trace_writer_payload(writer, bytes, op.payload_size, &op.payload, &err), "%s",
              err.text);
    return op;
}

static void add_stacks(struct trace_writer *writer)
{
    struct trace *trace = writer->trace;
    bool is_new;
    for (uint32_t i = 0; i < ODD_STACKS; i++) {
        const uint32_t number = trace_writer_frame(writer, i, &is_new);
        trace->frames[number] =
            (struct trace_frame){.address = UINT64_MAX - i,
                                 .offset = i,
                                 .module = strings_add(&trace->strings, "/bin/w"),
                                 .function = strings_add(&trace->strings, "save"),
                                 .line = i};
        const uint32_t frames[] = {number, number / 2, 0};
        trace_writer_stack(writer, frames, 1 + i % 3);
    }
}

static void add_robust(struct trace_writer *writer)
{
    const struct robust_place place = {
        .node = 3, .offset = UINT64_C(1) << 40, .tid = 70000, .from = 1, .to = UINT32_MAX};
    struct err err = {0};
    uint32_t number;
    cr_assert(trace_writer_robust(writer, &place, &number, &err), "%s", err.text);
}

static void about(struct trace *trace)
{
    trace->about.workspace = mem_string("/tmp/work\nspace");
    trace->about.argv = mem_new(3, sizeof *trace->about.argv);
    trace->about.argv[0] = mem_string("./worker");
    trace->about.argv[1] = mem_string("");
    trace->about.wait_status = 0x8b;
    trace->about.processes = 3;
    trace->about.io_uring_refused = 1;
    trace->about.left_processes = 2;
    trace->about.stops = UINT64_C(1) << 40;
    trace->about.started_ns = INT64_C(1700000000123456789);
    trace->about.elapsed_ns = 5;
}

void store_example_record(struct store *store, struct trace *trace, uint32_t count)
{
    int fd = -1;
    uint64_t seed = 7;
    struct err err = {0};
    struct trace_writer writer;
    cr_assert(store_payload_create(store, &fd, &err), "%s", err.text);
    trace_init(trace);
    trace_writer_init(&writer, trace, fd);
    about(trace);
    trace_writer_note(&writer, "writes outside the workspace: %s", "/var/log/x");
    for (uint32_t i = 0; i < 5; i++)
        trace_writer_node(&writer);
    add_stacks(&writer);
    for (uint32_t i = 0; i < count; i++) {
        const struct op op = random_op(&writer, &seed);
        trace_writer_op(&writer, &op);
    }
    trace->initial = count / 10;
    add_robust(&writer);
    const struct trace_thread thread = {.pid = 7, .tid = 7, .program = 1, .is_main = 1};
    trace_writer_thread(&writer, &thread);
    cr_assert(trace_writer_finish(&writer, &err), "%s", err.text);
    trace_writer_fini(&writer);
    cr_assert(store_write_trace(store, trace, &err), "%s", err.text);
}
