/* Trees under random ops: against a plain model, and against the same state reached another way. */
#include <criterion/criterion.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "random_ops.h"
#include "tracer/base/clock.h"
#include "tracer/base/map.h"
#include "tracer/base/mem.h"
#include "tree.h"

TestSuite(tree_random, .timeout = 60);

/* The same state made anew in another order, with other numbers for nodes and strings. */
struct rebuilt {
    const struct tree *from;
    struct tree *to;
    struct trace trace;
    size_t payload_room;
    uint8_t *bytes;
    struct map nodes; /* old number to new */
};

static uint64_t keep_bytes(struct rebuilt *rebuilt, const void *data, size_t size)
{
    const uint64_t at = rebuilt->trace.payload_size;
    mem_grow(&rebuilt->bytes, &rebuilt->payload_room, at + size, 1);
    memcpy(rebuilt->bytes + at, data, size);
    rebuilt->trace.payload_map = rebuilt->bytes;
    rebuilt->trace.payload_size += size;
    return at;
}

static void rebuild_op(struct rebuilt *rebuilt, struct op op)
{
    struct err err = {0};
    cr_assert(tree_apply(rebuilt->to, &op, &err), "%s", err.text);
}

static uint32_t again(struct rebuilt *rebuilt, const struct trace *from, uint32_t name)
{
    return strings_add(&rebuilt->trace.strings, trace_string(from, name));
}

static void rebuild_rest(struct rebuilt *rebuilt, const struct trace *from, uint32_t old,
                         uint32_t node)
{
    const struct tree_node *stat = tree_node(rebuilt->from, old);
    struct tree_xattr xattr;
    for (size_t i = 0; tree_xattr(rebuilt->from, old, i, &xattr); i++) {
        const uint64_t at = keep_bytes(rebuilt, from->payload_map + xattr.payload, xattr.size);
        rebuild_op(rebuilt, (struct op){.kind = OP_SETXATTR,
                                        .node = node,
                                        .name = again(rebuilt, from, xattr.name),
                                        .payload = at,
                                        .payload_size = xattr.size});
    }
    if (S_ISREG(stat->mode) && stat->size > 0) {
        char *all = mem_new(stat->size, 1);
        size_t got;
        struct err err = {0};
        cr_assert(tree_read(rebuilt->from, old, 0, all, stat->size, &got, &err));
        const uint64_t at = keep_bytes(rebuilt, all, stat->size);
        free(all);
        rebuild_op(
            rebuilt,
            (struct op){.kind = OP_WRITE, .node = node, .payload = at, .payload_size = stat->size});
    }
    rebuild_op(rebuilt,
               (struct op){.kind = OP_CHOWN, .node = node, .uid = stat->uid, .gid = stat->gid});
    rebuild_op(rebuilt, (struct op){.kind = OP_CHMOD, .node = node, .mode = stat->mode & 07777});
    if (stat->mtime_ns != -1 || stat->atime_ns != -1)
        rebuild_op(rebuilt, (struct op){.kind = OP_TIMES,
                                        .node = node,
                                        .offset = (uint64_t)stat->atime_ns,
                                        .size = (uint64_t)stat->mtime_ns});
}

static void rebuild(struct rebuilt *rebuilt, const struct trace *from, uint32_t old, uint32_t dir)
{
    struct tree_entry *entries;
    for (size_t i = tree_entries(rebuilt->from, old, &entries); i-- > 0;) {
        const struct tree_node *stat = tree_node(rebuilt->from, entries[i].node);
        uint64_t known;
        struct op op = {.dir = dir, .name = again(rebuilt, from, entries[i].name)};
        if (map_get(&rebuilt->nodes, entries[i].node, &known)) {
            op.kind = OP_LINK;
            op.node = (uint32_t)known;
            rebuild_op(rebuilt, op);
            continue;
        }
        op.kind = OP_CREATE;
        op.node = rebuilt->trace.nodes++;
        op.mode = stat->mode;
        if (stat->target_size > 0)
            op.payload = keep_bytes(rebuilt, from->payload_map + stat->target, stat->target_size);
        op.payload_size = stat->target_size;
        rebuild_op(rebuilt, op);
        map_put(&rebuilt->nodes, entries[i].node, op.node);
        if (S_ISDIR(stat->mode))
            rebuild(rebuilt, from, entries[i].node, op.node);
        rebuild_rest(rebuilt, from, entries[i].node, op.node);
    }
    free(entries);
}

static struct tree_hash hash_of_the_same_anew(const struct trace *from, const struct tree *old)
{
    struct rebuilt rebuilt = {.from = old};
    trace_init(&rebuilt.trace);
    rebuilt.to = tree_new(&rebuilt.trace);
    rebuild(&rebuilt, from, NODE_ROOT, NODE_ROOT);
    rebuild_rest(&rebuilt, from, NODE_ROOT, NODE_ROOT);
    const struct tree_hash hash = tree_hash(rebuilt.to);
    tree_free(rebuilt.to);
    rebuilt.trace.payload_map = NULL;
    free(rebuilt.bytes);
    map_fini(&rebuilt.nodes);
    trace_fini(&rebuilt.trace);
    return hash;
}

static uint64_t seed_of_this_run(void)
{
    const uint64_t seed = (uint64_t)clock_date();
    cr_log_info("seed %llu", (unsigned long long)seed);
    return seed;
}

Test(tree_random, the_hash_is_that_of_the_state_whatever_way_led_to_it)
{
    const uint64_t seed = seed_of_this_run();
    struct random_ops random;
    random_ops_init(&random, seed);
    random.want_owner = true;
    struct tree *grown = tree_new(&random.trace);
    struct err err = {0};
    for (int i = 0; i < 3000; i++) {
        const struct tree_hash before = tree_hash(grown);
        const bool is_tried = random_ops_draw(&random, 3) == 0;
        if (is_tried)
            tree_mark(grown);
        for (uint64_t n = random_ops_draw(&random, 4); n-- > 0;)
            cr_assert(tree_apply(grown, random_ops_next(&random, grown), &err), "seed %llu: %s",
                      (unsigned long long)seed, err.text);
        if (is_tried) {
            tree_undo(grown);
            cr_assert(tree_hash_equal(before, tree_hash(grown)), "seed %llu, round %d",
                      (unsigned long long)seed, i);
        }
        if (i % 100 == 0)
            cr_assert(
                tree_hash_equal(hash_of_the_same_anew(&random.trace, grown), tree_hash(grown)),
                "seed %llu, round %d", (unsigned long long)seed, i);
    }
    tree_free(grown);
    random_ops_fini(&random);
}

/* The plainest model of a file that there is. */
struct plain {
    uint8_t bytes[2 * RANDOM_FILE_MAX];
    uint64_t size;
};

static void plain_resize(struct plain *plain, uint64_t size)
{
    if (size < plain->size)
        memset(plain->bytes + size, 0, plain->size - size);
    plain->size = size;
}

static void plain_allocate(struct plain *plain, const struct op *op)
{
    const uint64_t end = op->offset + op->size;
    const uint64_t rest = end < plain->size ? plain->size - end : 0;
    if (op->mode & FALLOC_FL_COLLAPSE_RANGE) {
        memmove(plain->bytes + op->offset, plain->bytes + end, rest);
        plain_resize(plain, plain->size - op->size);
        return;
    }
    if (op->mode & FALLOC_FL_INSERT_RANGE) {
        memmove(plain->bytes + end, plain->bytes + op->offset, plain->size - op->offset);
        memset(plain->bytes + op->offset, 0, op->size);
        plain->size += op->size;
        return;
    }
    if (op->mode & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
        memset(plain->bytes + op->offset, 0, op->size);
    if (!(op->mode & FALLOC_FL_KEEP_SIZE) && end > plain->size)
        plain->size = end;
}

static void plain_apply(struct plain *plain, const struct op *op, const uint8_t *from)
{
    if (op->kind == OP_WRITE) {
        memcpy(plain->bytes + op->offset, from + op->payload, op->payload_size);
        if (op->offset + op->payload_size > plain->size)
            plain->size = op->offset + op->payload_size;
    } else if (op->kind == OP_TRUNCATE) {
        plain_resize(plain, op->size);
    } else if (op->kind == OP_ALLOCATE) {
        plain_allocate(plain, op);
    }
}

static void expect_like(const struct tree *grown, uint32_t node, const struct plain *plain,
                        uint64_t seed)
{
    static uint8_t got[2 * RANDOM_FILE_MAX];
    size_t count;
    struct err err = {0};
    cr_assert_eq(tree_node(grown, node)->size, plain->size);
    cr_assert(tree_read(grown, node, 0, got, sizeof got, &count, &err));
    cr_assert_eq(count, plain->size);
    cr_assert_eq(memcmp(got, plain->bytes, count), 0, "seed %llu, node %u",
                 (unsigned long long)seed, node);
}

Test(tree_random, bytes_are_what_a_plain_array_would_hold)
{
    const uint64_t seed = seed_of_this_run();
    struct random_ops random;
    random_ops_init(&random, seed);
    struct tree *grown = tree_new(&random.trace);
    struct plain **files = mem_new(4000, sizeof(struct plain *));
    struct err err = {0};
    for (int i = 0; i < 6000; i++) {
        const struct op op = *random_ops_next(&random, grown);
        cr_assert(tree_apply(grown, &op, &err), "%s", err.text);
        if (op.kind == OP_CREATE && S_ISREG(op.mode))
            files[op.node] = mem_new(1, sizeof(struct plain));
        if (op.kind > OP_ALLOCATE)
            continue;
        plain_apply(files[op.node], &op, random.payload);
        expect_like(grown, op.node, files[op.node], seed);
    }
    for (size_t i = 0; i < 4000; i++)
        free(files[i]);
    free(files);
    tree_free(grown);
    random_ops_fini(&random);
}
