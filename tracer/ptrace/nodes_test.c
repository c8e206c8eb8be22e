#include "nodes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { A = 2, B, C, D };

struct stage {
    struct trace trace;
    struct trace_writer writer;
    struct nodes nodes;
};

static void stage_init(struct stage *stage)
{
    trace_init(&stage->trace);
    stage->writer = (struct trace_writer){.trace = &stage->trace, .fd = -1};
    nodes_init(&stage->nodes, &stage->writer, 7);
}

static void stage_fini(struct stage *stage)
{
    nodes_fini(&stage->nodes);
    trace_fini(&stage->trace);
}

static void create(struct stage *stage, uint32_t node, uint32_t dir, const char *name,
                   uint32_t mode)
{
    const struct op op = {.kind = OP_CREATE,
                          .node = node,
                          .dir = dir,
                          .name = strings_add(&stage->trace.strings, name),
                          .mode = mode};
    nodes_apply(&stage->nodes, &op);
}

static void rename_to(struct stage *stage, const char *from, const char *to, uint32_t node,
                      uint32_t dir2)
{
    const struct op op = {.kind = OP_RENAME,
                          .node = node,
                          .dir = NODE_ROOT,
                          .name = strings_add(&stage->trace.strings, from),
                          .dir2 = dir2,
                          .name2 = strings_add(&stage->trace.strings, to)};
    nodes_apply(&stage->nodes, &op);
}

static const char *path(struct stage *stage, uint32_t node)
{
    return trace_string(&stage->trace, nodes_path(&stage->nodes, node));
}

Test(nodes, a_file_follows_its_renamed_folder)
{
    struct stage stage;
    stage_init(&stage);
    create(&stage, A, NODE_ROOT, "dir", S_IFDIR | 0755);
    create(&stage, B, A, "file", S_IFREG | 0644);
    cr_expect_str_eq(path(&stage, B), "dir/file");
    rename_to(&stage, "dir", "other", A, NODE_ROOT);
    cr_expect_str_eq(path(&stage, B), "other/file");
    cr_expect_eq(nodes_lookup(&stage.nodes, NODE_ROOT, "other"), (uint32_t)A);
    cr_expect_eq(nodes_lookup(&stage.nodes, NODE_ROOT, "dir"), (uint32_t)NODE_NONE);
    stage_fini(&stage);
}

Test(nodes, a_file_that_loses_one_of_two_names_is_called_by_the_other)
{
    struct stage stage;
    stage_init(&stage);
    create(&stage, A, NODE_ROOT, "one", S_IFREG | 0644);
    const struct op link = {.kind = OP_LINK,
                            .node = A,
                            .dir = NODE_ROOT,
                            .name = strings_add(&stage.trace.strings, "two")};
    nodes_apply(&stage.nodes, &link);
    struct op unlink = link;
    unlink.kind = OP_UNLINK;
    nodes_apply(&stage.nodes, &unlink);
    cr_expect_str_eq(path(&stage, A), "one");
    cr_expect_eq(nodes_facts(&stage.nodes, A)->links, 1u);
    stage_fini(&stage);
}

Test(nodes, an_inode_number_that_is_given_again_is_the_new_file)
{
    struct stage stage;
    stage_init(&stage);
    create(&stage, A, NODE_ROOT, "a", S_IFREG);
    nodes_set_ino(&stage.nodes, A, 100);
    create(&stage, B, NODE_ROOT, "b", S_IFREG);
    nodes_set_ino(&stage.nodes, B, 100);
    cr_expect_eq(nodes_of_inode(&stage.nodes, 7, 100), (uint32_t)B);
    cr_expect_eq(nodes_of_inode(&stage.nodes, 8, 100), (uint32_t)NODE_NONE);
    stage_fini(&stage);
}

Test(nodes, what_leaves_in_a_folder_is_outside_unless_it_has_another_name)
{
    struct stage stage;
    stage_init(&stage);
    create(&stage, A, NODE_ROOT, "dir", S_IFDIR);
    create(&stage, B, A, "gone", S_IFREG);
    create(&stage, C, A, "kept", S_IFREG);
    nodes_set_ino(&stage.nodes, B, 100);
    nodes_set_ino(&stage.nodes, C, 101);
    const struct op link = {.kind = OP_LINK,
                            .node = C,
                            .dir = NODE_ROOT,
                            .name = strings_add(&stage.trace.strings, "here")};
    nodes_apply(&stage.nodes, &link);
    const struct op carry = {.kind = OP_CARRY,
                             .node = A,
                             .dir = NODE_ROOT,
                             .name = strings_add(&stage.trace.strings, "dir")};
    nodes_apply(&stage.nodes, &carry);
    cr_expect_eq(nodes_of_inode(&stage.nodes, 7, 100), (uint32_t)NODE_NONE);
    cr_expect_eq(nodes_of_inode(&stage.nodes, 7, 101), (uint32_t)C);
    cr_expect_str_eq(path(&stage, C), "here");
    stage_fini(&stage);
}

Test(nodes, an_exchange_swaps_two_names)
{
    struct stage stage;
    stage_init(&stage);
    create(&stage, A, NODE_ROOT, "a", S_IFREG);
    create(&stage, B, NODE_ROOT, "b", S_IFDIR);
    create(&stage, C, B, "c", S_IFREG);
    cr_expect_str_eq(path(&stage, C), "b/c");
    const struct op op = {.kind = OP_RENAME,
                          .node = A,
                          .node2 = B,
                          .dir = NODE_ROOT,
                          .dir2 = NODE_ROOT,
                          .name = strings_add(&stage.trace.strings, "a"),
                          .name2 = strings_add(&stage.trace.strings, "b"),
                          .call_flags = RENAME_EXCHANGE};
    nodes_apply(&stage.nodes, &op);
    cr_expect_eq(nodes_lookup(&stage.nodes, NODE_ROOT, "a"), (uint32_t)B);
    cr_expect_eq(nodes_lookup(&stage.nodes, NODE_ROOT, "b"), (uint32_t)A);
    cr_expect_str_eq(path(&stage, C), "a/c");
    stage_fini(&stage);
}
