#include "tree.h"

#include <criterion/criterion.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tracer/base/clock.h"
#include "tracer/base/mem.h"

static uint8_t payload[3 * TREE_BLOCK] = "hello world, this is the payload";

static struct trace trace;
static struct tree *tree;

static void start(void)
{
    trace_init(&trace);
    for (size_t i = 100; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7 + i / 256);
    trace.payload_map = payload;
    trace.payload_size = sizeof payload;
    trace.nodes = 100000;
    tree = tree_new(&trace);
}

static void stop(void)
{
    tree_free(tree);
    trace.payload_map = NULL;
    trace_fini(&trace);
}

TestSuite(tree, .init = start, .fini = stop, .timeout = 60);

static uint32_t text(const char *string)
{
    return strings_add(&trace.strings, string);
}

static void apply(struct op op)
{
    struct err err = {0};
    cr_assert(tree_apply(tree, &op, &err), "%s", err.text);
}

static void refused(struct op op, const char *why)
{
    struct err err = {0};
    cr_assert_not(tree_apply(tree, &op, &err));
    cr_assert(strstr(err.text, why), "%s", err.text);
}

static struct op create(uint32_t node, uint32_t dir, const char *name, uint32_t mode)
{
    return (struct op){
        .kind = OP_CREATE, .node = node, .dir = dir, .name = text(name), .mode = mode};
}

static struct op write_op(uint32_t node, uint64_t offset, uint64_t place, uint64_t size)
{
    return (struct op){
        .kind = OP_WRITE, .node = node, .offset = offset, .payload = place, .payload_size = size};
}

static struct op rename_op(uint32_t node, const char *from, const char *to, uint32_t replaced)
{
    return (struct op){.kind = OP_RENAME,
                       .node = node,
                       .node2 = replaced,
                       .dir = NODE_ROOT,
                       .dir2 = NODE_ROOT,
                       .name = text(from),
                       .name2 = text(to)};
}

static void expect_bytes(uint32_t node, uint64_t offset, const char *bytes, size_t size)
{
    char *got = mem_new(size, 1);
    size_t count;
    struct err err = {0};
    cr_assert(tree_read(tree, node, offset, got, size, &count, &err), "%s", err.text);
    cr_expect_eq(count, size);
    cr_expect_arr_eq(got, bytes, size);
    free(got);
}

Test(tree, cut_off_bytes_come_back_as_zeros)
{
    apply(create(2, NODE_ROOT, "f", S_IFREG | 0644));
    apply(write_op(2, 0, 0, 11));
    apply((struct op){.kind = OP_TRUNCATE, .node = 2, .size = 5});
    apply((struct op){.kind = OP_TRUNCATE, .node = 2, .size = 8});
    expect_bytes(2, 0, "hello\0\0\0", 8);
}

Test(tree, a_write_beyond_the_end_leaves_a_hole_of_zeros)
{
    apply(create(2, NODE_ROOT, "f", S_IFREG | 0644));
    apply(write_op(2, 10000, 0, 5));
    cr_expect_eq(tree_node(tree, 2)->size, 10005);
    expect_bytes(2, 9997, "\0\0\0hello", 8);
    uint64_t *blocks;
    cr_expect_eq(tree_blocks(tree, 2, &blocks), 1);
    cr_expect_eq(blocks[0], 2);
    free(blocks);
}

Test(tree, written_zeros_hash_like_a_hole)
{
    static uint8_t zeros[TREE_BLOCK];
    apply(create(2, NODE_ROOT, "f", S_IFREG | 0644));
    apply((struct op){.kind = OP_TRUNCATE, .node = 2, .size = 3});
    const struct tree_hash hole = tree_hash(tree);
    trace.payload_map = zeros;
    apply(write_op(2, 0, 0, 3));
    cr_expect(tree_hash_equal(hole, tree_hash(tree)));
    trace.payload_map = payload;
}

Test(tree, a_collapsed_range_moves_the_rest_to_the_front)
{
    apply(create(2, NODE_ROOT, "f", S_IFREG | 0644));
    apply(write_op(2, 0, 100, 3 * TREE_BLOCK - 100));
    apply((struct op){.kind = OP_ALLOCATE,
                      .node = 2,
                      .mode = FALLOC_FL_COLLAPSE_RANGE,
                      .offset = 1024,
                      .size = TREE_BLOCK});
    cr_expect_eq(tree_node(tree, 2)->size, 2 * TREE_BLOCK - 100);
    expect_bytes(2, 0, (const char *)payload + 100, 1024);
    expect_bytes(2, 1024, (const char *)payload + 100 + 1024 + TREE_BLOCK, TREE_BLOCK);
}

Test(tree, a_rename_replaces_and_the_old_node_loses_its_name)
{
    apply(create(2, NODE_ROOT, "a", S_IFREG | 0644));
    apply(create(3, NODE_ROOT, "b", S_IFREG | 0644));
    apply(rename_op(2, "a", "b", 3));
    cr_expect_eq(tree_find(tree, "b"), 2);
    cr_expect_eq(tree_find(tree, "a"), NODE_NONE);
    cr_expect_eq(tree_node(tree, 3)->links, 0);
    apply(write_op(3, 0, 0, 5)); /* still open: that changes nothing that can be seen */
    cr_expect_null(tree_path(tree, 3));
}

Test(tree, an_exchange_swaps_a_folder_and_a_file)
{
    apply(create(2, NODE_ROOT, "a", S_IFDIR | 0755));
    apply(create(3, NODE_ROOT, "b", S_IFREG | 0644));
    apply(create(4, 2, "in", S_IFREG | 0644));
    struct op op = rename_op(2, "a", "b", 3);
    op.call_flags = RENAME_EXCHANGE;
    apply(op);
    cr_expect_eq(tree_find(tree, "b/in"), 4);
    cr_expect_eq(tree_find(tree, "a"), 3);
}

Test(tree, the_way_up_is_found_after_a_parent_was_renamed)
{
    apply(create(2, NODE_ROOT, "a", S_IFDIR | 0755));
    apply(create(3, 2, "b\nc", S_IFDIR | 0755));
    apply(create(4, 3, "d", S_IFREG | 0644));
    apply(rename_op(2, "a", "z", 0));
    char *path = tree_path(tree, 4);
    cr_expect_str_eq(path, "z/b\nc/d");
    free(path);
}

Test(tree, what_does_not_fit_is_refused_by_name)
{
    apply(create(2, NODE_ROOT, "a", S_IFDIR | 0755));
    apply(create(3, 2, "b", S_IFREG | 0644));
    refused(create(4, NODE_ROOT, "a", S_IFREG), "has \"a\" already");
    refused(create(3, NODE_ROOT, "c", S_IFREG), "exists already");
    refused(create(4, 3, "c", S_IFREG), "no folder");
    refused(write_op(2, 0, 0, 1), "no regular file");
    refused(write_op(3, UINT64_MAX - 3, 0, 10), "reach that far");
    refused(write_op(77, 0, 0, 1), "not there");
    refused(write_op(3, 0, sizeof payload, 1), "payload");
    refused((struct op){.kind = OP_UNLINK, .dir = NODE_ROOT, .name = text("a"), .node = 2},
            "not empty");
    refused(rename_op(9, "a", "b", 0), "is node 2, not 9");
    struct op op = rename_op(2, "a", "a2", 0);
    op.dir2 = 2;
    refused(op, "into itself");
    refused((struct op){.kind = 200}, "kind 200");
    refused((struct op){.kind = OP_LINK, .node = 2, .dir = NODE_ROOT, .name = text("q")},
            "a folder");
}

Test(tree, a_set_time_counts_until_the_next_write)
{
    apply(create(2, NODE_ROOT, "f", S_IFREG | 0644));
    const struct tree_hash before = tree_hash(tree);
    apply((struct op){.kind = OP_TIMES, .node = 2, .offset = UINT64_MAX, .size = 5});
    cr_expect_eq(tree_node(tree, 2)->mtime_ns, 5);
    cr_expect_not(tree_hash_equal(before, tree_hash(tree)));
    struct op op = {.kind = OP_TRUNCATE, .node = 2, .time_ns = 99};
    apply(op);
    cr_expect_eq(tree_node(tree, 2)->mtime_ns, -1);
    cr_expect_eq(tree_changed_ns(tree, 2), 99);
    cr_expect(tree_hash_equal(before, tree_hash(tree)));
}

Test(tree, a_new_owner_takes_set_user_id_away)
{
    apply(create(2, NODE_ROOT, "f", S_IFREG | 06755));
    apply((struct op){.kind = OP_CHOWN, .node = 2, .uid = 7, .gid = UINT32_MAX});
    cr_expect_eq(tree_node(tree, 2)->mode, S_IFREG | 0755);
    cr_expect_eq(tree_node(tree, 2)->uid, 7);
    cr_expect_eq(tree_node(tree, 2)->gid, 0);
}

/* Four names, two files: which names belong together must be seen, although the names, types and
 * contents are the same. */
static struct tree_hash pair_up(uint32_t first, const char *with_first, uint32_t second,
                                const char *with_second)
{
    tree_mark(tree);
    apply(create(first, NODE_ROOT, "a", S_IFREG));
    apply(create(second, NODE_ROOT, "b", S_IFREG));
    const struct op one = {
        .kind = OP_LINK, .node = first, .dir = NODE_ROOT, .name = text(with_first)};
    const struct op two = {
        .kind = OP_LINK, .node = second, .dir = NODE_ROOT, .name = text(with_second)};
    apply(one);
    apply(two);
    const struct tree_hash hash = tree_hash(tree);
    tree_undo(tree);
    return hash;
}

Test(tree, the_hash_sees_which_names_are_one_file_but_not_node_numbers)
{
    const struct tree_hash parallel = pair_up(2, "c", 3, "d");
    cr_expect(tree_hash_equal(parallel, pair_up(20, "c", 7, "d")));
    cr_expect_not(tree_hash_equal(parallel, pair_up(2, "d", 3, "c")));
}

/* x and y of two folders: linked within each folder, or across them. */
static struct tree_hash link_folders(uint32_t dir_of_first, uint32_t dir_of_second)
{
    tree_mark(tree);
    apply(create(2, NODE_ROOT, "p", S_IFDIR));
    apply(create(3, NODE_ROOT, "q", S_IFDIR));
    apply(create(4, 2, "x", S_IFREG));
    apply(create(5, 3, "x", S_IFREG));
    apply((struct op){.kind = OP_LINK, .node = 4, .dir = dir_of_first, .name = text("y")});
    apply((struct op){.kind = OP_LINK, .node = 5, .dir = dir_of_second, .name = text("y")});
    const struct tree_hash hash = tree_hash(tree);
    tree_undo(tree);
    return hash;
}

Test(tree, the_hash_sees_in_which_folders_linked_names_are)
{
    cr_expect_not(tree_hash_equal(link_folders(2, 3), link_folders(3, 2)));
}

Test(tree, an_outer_mark_outlives_the_undoing_of_an_inner_one)
{
    apply(create(2, NODE_ROOT, "f", S_IFREG));
    const struct tree_hash before = tree_hash(tree);
    tree_mark(tree);
    tree_mark(tree);
    apply(write_op(2, 0, 0, 10));
    tree_undo(tree);
    apply(write_op(2, 0, 5, 10));
    tree_undo(tree);
    cr_expect(tree_hash_equal(before, tree_hash(tree)));
}

Test(tree, a_part_of_a_write_is_the_state_of_the_shorter_write)
{
    apply(create(2, NODE_ROOT, "f", S_IFREG));
    const struct op op = write_op(2, 4000, 0, 200);
    struct err err = {0};
    tree_mark(tree);
    cr_assert(tree_apply_part(tree, &op, 0, 120, &err));
    const struct tree_hash part = tree_hash(tree);
    tree_undo(tree);
    apply(write_op(2, 4000, 0, 120));
    cr_expect(tree_hash_equal(part, tree_hash(tree)));
    cr_assert(tree_apply_part(tree, &op, 120, 80, &err));
    expect_bytes(2, 4000, (const char *)payload, 200);
}

Test(tree, touched_things_are_listed_once_also_by_undo)
{
    apply(create(2, NODE_ROOT, "f", S_IFREG));
    tree_touched_clear(tree);
    tree_mark(tree);
    apply(write_op(2, 0, 0, 10));
    apply(write_op(2, 10, 0, 10));
    struct tree_touched touched = tree_touched(tree);
    cr_expect_eq(touched.blocks_count, 1);
    cr_expect_eq(touched.nodes_count, 1);
    cr_expect_eq(touched.places_count, 0);
    tree_touched_clear(tree);
    tree_undo(tree);
    touched = tree_touched(tree);
    cr_expect_eq(touched.blocks_count, 1);
    cr_expect_eq(touched.blocks[0].node, 2);
}

Test(tree, an_outer_mark_takes_back_what_an_inner_one_kept)
{
    const struct tree_hash empty = tree_hash(tree);
    tree_mark(tree);
    apply(create(2, NODE_ROOT, "f", S_IFREG));
    tree_mark(tree);
    apply(write_op(2, 0, 0, 10));
    tree_keep(tree);
    tree_undo(tree);
    cr_expect(tree_hash_equal(empty, tree_hash(tree)));
    cr_expect_null(tree_node(tree, 2));
}

Test(tree, one_more_file_in_a_folder_of_ten_thousand_costs_no_more)
{
    char name[16];
    for (uint32_t i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "%u", i);
        apply(create(2 + i, NODE_ROOT, name, S_IFREG));
    }
    const int64_t before = clock_now();
    for (uint32_t i = 20000; i < 21000; i++) {
        snprintf(name, sizeof name, "%u", i);
        apply(create(2 + i, NODE_ROOT, name, S_IFREG));
    }
    /* Looking at every entry each time would take seconds. */
    cr_expect_lt(clock_now() - before, CLOCK_SECOND / 4);
}
