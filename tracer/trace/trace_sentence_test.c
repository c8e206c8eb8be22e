#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace.h"

struct row {
    const char *path, *path2, *expected;
    struct op op;
};

static const struct row rows[] = {
    {"db",
     "",
     "write 100 bytes at 4096 to db",
     {.kind = OP_WRITE, .call = SYS_write, .payload_size = 100, .offset = 4096}},
    {"db",
     "",
     "pwritev 1 byte at 0 to db",
     {.kind = OP_WRITE, .call = SYS_pwritev, .payload_size = 1}},
    {"m",
     "",
     "store 4096 bytes at 8192 to m",
     {.kind = OP_STORE, .payload_size = 4096, .offset = 8192}},
    {"db", "", "truncate db to 0 bytes", {.kind = OP_TRUNCATE}},
    {"db", "", "allocate 10 bytes at 5 in db", {.kind = OP_ALLOCATE, .size = 10, .offset = 5}},
    {"db",
     "",
     "punch a hole of 10 bytes at 5 in db",
     {.kind = OP_ALLOCATE,
      .mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
      .size = 10,
      .offset = 5}},
    {"d", "", "create folder d", {.kind = OP_CREATE, .dir = 1, .mode = S_IFDIR | 0755}},
    {"f", "", "create file f", {.kind = OP_CREATE, .dir = 1, .mode = S_IFREG | 0644}},
    {"p", "", "create FIFO p", {.kind = OP_CREATE, .dir = 1, .mode = S_IFIFO}},
    {"", "", "create a file without a name", {.kind = OP_CREATE, .mode = S_IFREG}},
    {"l",
     "",
     "create symbolic link l to to\\nto",
     {.kind = OP_CREATE, .dir = 1, .mode = S_IFLNK, .payload = 0, .payload_size = 5}},
    {"new", "old", "link old to new", {.kind = OP_LINK}},
    {"new", "", "link new", {.kind = OP_LINK}},
    {"db", "", "remove db", {.kind = OP_UNLINK}},
    {"db.tmp", "db", "rename db.tmp to db", {.kind = OP_RENAME}},
    {"a", "b", "exchange a and b", {.kind = OP_RENAME, .call_flags = RENAME_EXCHANGE}},
    {"a", "/tmp/a", "rename a to /tmp/a, outside the workspace", {.kind = OP_CARRY}},
    {"db", "", "chmod db to 640", {.kind = OP_CHMOD, .mode = S_IFREG | 0640}},
    {"db", "", "chown db to 5:", {.kind = OP_CHOWN, .uid = 5, .gid = UINT32_MAX}},
    {"db", "", "set the times of db", {.kind = OP_TIMES}},
    {"db", "", "fsync db", {.kind = OP_SYNC, .call = SYS_fsync}},
    {"db",
     "",
     "fdatasync db (failed: Input/output error)",
     {.kind = OP_SYNC, .call = SYS_fdatasync, .error = EIO}},
    {"db", "", "msync db, 4096 bytes at 0", {.kind = OP_SYNC_MAP, .call = SYS_msync, .size = 4096}},
    {"", "", "sync", {.kind = OP_SYNC_ALL, .call = SYS_sync}},
    {"stdout",
     "",
     "write 3 bytes to stdout",
     {.kind = OP_OUTPUT, .call = SYS_write, .payload_size = 3}},
    {"tcp 127.0.0.1:80",
     "",
     "connect to tcp 127.0.0.1:80",
     {.kind = OP_CONNECT, .call = SYS_connect}},
    {"tcp 127.0.0.1:80",
     "",
     "accept a connection from tcp 127.0.0.1:80",
     {.kind = OP_CONNECT, .call = SYS_accept4}},
    {"tcp 127.0.0.1:80",
     "",
     "send 180 bytes to tcp 127.0.0.1:80",
     {.kind = OP_SEND, .call = SYS_write, .payload_size = 180}},
    {"tcp 127.0.0.1:80",
     "",
     "receive 7 bytes from tcp 127.0.0.1:80",
     {.kind = OP_RECEIVE, .payload_size = 7, .size = 7}},
    {"tcp 127.0.0.1:80", "", "receive the end of tcp 127.0.0.1:80", {.kind = OP_RECEIVE}},
    {"tcp 127.0.0.1:80", "", "close the connection to tcp 127.0.0.1:80", {.kind = OP_SHUTDOWN}},
    {"", "", "thread 0: start thread 2", {.kind = OP_START, .thread = 2}},
    {"/bin/sh", "", "thread 1: exec /bin/sh", {.kind = OP_EXEC, .thread = 1}},
    {"", "", "thread 1: exit with 3", {.kind = OP_EXIT, .thread = 1, .size = 3 << 8}},
    {"", "", "thread 1: killed by signal 9", {.kind = OP_EXIT, .thread = 1, .size = 9}},
    {"a.lock", "", "lock a.lock", {.kind = OP_LOCK, .call_flags = F_WRLCK}},
    {"a.lock", "", "lock a.lock, shared", {.kind = OP_LOCK, .call_flags = F_RDLCK}},
    {"a.lock", "", "give back the lock on a.lock", {.kind = OP_UNLOCK}},
    {"a\nb", "\x1b[31m", "rename a\\nb to \\x1b[31m", {.kind = OP_RENAME}},
};

Test(trace_sentence, each_kind_of_op_is_one_line_that_says_what_was_done)
{
    struct trace trace;
    struct err err = {0};
    trace_init(&trace);
    const int fd = memfd_create("payload", MFD_CLOEXEC);
    cr_assert_eq(write(fd, "to\nto", 5), 5);
    cr_assert(trace_set_payload(&trace, fd, &err), "%s", err.text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct op op = rows[i].op;
        op.path = strings_add(&trace.strings, rows[i].path);
        op.path2 = strings_add(&trace.strings, rows[i].path2);
        char *line = trace_sentence(&trace, &op);
        cr_expect_str_eq(line, rows[i].expected);
        free(line);
    }
    trace_fini(&trace);
}

Test(trace_sentence, an_attribute_is_named)
{
    struct trace trace;
    trace_init(&trace);
    const struct op op = {.kind = OP_SETXATTR,
                          .name = strings_add(&trace.strings, "user.a"),
                          .path = strings_add(&trace.strings, "db")};
    char *line = trace_sentence(&trace, &op);
    cr_expect_str_eq(line, "set attribute user.a of db");
    free(line);
    trace_fini(&trace);
}

Test(trace_sentence, every_kind_has_a_line)
{
    struct trace trace;
    trace_init(&trace);
    for (int kind = 0; kind < OP_KIND_COUNT; kind++) {
        const struct op op = {.kind = (uint8_t)kind};
        char *line = trace_sentence(&trace, &op);
        cr_expect_not_null(line);
        free(line);
    }
    trace_fini(&trace);
}
