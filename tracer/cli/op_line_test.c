#include "op_line.h"

#include <criterion/criterion.h>

Test(op_line, marks_tell_syncs_and_promises_from_the_rest)
{
    static const struct {
        const char *label, *mark;
        struct op op;
    } rows[] = {
        {"fsync", "sync", {.kind = OP_SYNC}},
        {"msync", "sync", {.kind = OP_SYNC_MAP}},
        {"sync", "sync", {.kind = OP_SYNC_ALL}},
        {"a write that syncs itself", "sync", {.kind = OP_WRITE, .flags = OP_DSYNC}},
        {"a plain write", "-", {.kind = OP_WRITE, .flags = OP_APPEND}},
        {"stdout", "acked", {.kind = OP_OUTPUT, .flags = OP_ACKED}},
        {"stderr", "-", {.kind = OP_OUTPUT}},
        {"a message", "sent", {.kind = OP_SEND}},
        {"an answer", "-", {.kind = OP_RECEIVE}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(op_line_mark(&rows[i].op), rows[i].mark, "%s", rows[i].label);
}
