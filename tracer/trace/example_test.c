#include "example_test.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

void example_init(struct example *example)
{
    const int fd = memfd_create("payload", MFD_CLOEXEC);
    cr_assert_geq(fd, 0);
    trace_init(&example->trace);
    trace_writer_init(&example->writer, &example->trace, fd);
    const struct trace_thread thread = {.pid = 100, .tid = 100, .is_main = 1};
    trace_writer_thread(&example->writer, &thread);
}

void example_fini(struct example *example)
{
    trace_writer_fini(&example->writer);
    trace_fini(&example->trace);
}

void example_begin(struct example *example)
{
    example->trace.initial = example->trace.count;
}

uint32_t example_op(struct example *example, struct op op, const char *path, const char *payload)
{
    struct err err = {0};
    if (payload) {
        op.payload_size = strlen(payload);
        cr_assert(
            trace_writer_payload(&example->writer, payload, op.payload_size, &op.payload, &err));
    }
    op.path = strings_add(&example->trace.strings, path ? path : "");
    op.enter = example->trace.count;
    return trace_writer_op(&example->writer, &op);
}

uint32_t example_create(struct example *example, const char *name)
{
    const uint32_t node = trace_writer_node(&example->writer);
    example_op(example,
               (struct op){.kind = OP_CREATE,
                           .call = SYS_openat,
                           .node = node,
                           .dir = NODE_ROOT,
                           .name = strings_add(&example->trace.strings, name),
                           .mode = S_IFREG | 0644},
               name, NULL);
    return node;
}

static const char *path_of(const struct example *example, uint32_t node)
{
    for (uint32_t i = 0; i < example->trace.count; i++) {
        const struct op *op = &example->trace.ops[i];
        if (op->kind == OP_CREATE && op->node == node)
            return trace_string(&example->trace, op->path);
    }
    return "";
}

void example_write(struct example *example, uint32_t node, uint64_t offset, const char *payload)
{
    example_op(example,
               (struct op){.kind = OP_WRITE, .call = SYS_pwrite64, .node = node, .offset = offset},
               path_of(example, node), payload);
}

void example_truncate(struct example *example, uint32_t node, uint64_t size)
{
    example_op(example,
               (struct op){.kind = OP_TRUNCATE, .call = SYS_ftruncate, .node = node, .size = size},
               path_of(example, node), NULL);
}

void example_sync(struct example *example, uint32_t node)
{
    example_op(example, (struct op){.kind = OP_SYNC, .call = SYS_fsync, .node = node},
               path_of(example, node), NULL);
}

void example_promise(struct example *example, const char *payload)
{
    example_op(example, (struct op){.kind = OP_OUTPUT, .call = SYS_write, .flags = OP_ACKED},
               "stdout", payload);
}

const struct trace *example_finish(struct example *example)
{
    struct err err = {0};
    cr_assert(trace_writer_finish(&example->writer, &err), "%s", err.text);
    return &example->trace;
}
