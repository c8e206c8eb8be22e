#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "trace.h"
#include "tracer/base/check.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

/* One op in the making of its line: the strings that most kinds need, escaped. */
struct said {
    const struct trace *trace;
    const struct op *op;
    const char *call;
    char *path, *path2, *name;
};

static unsigned long long number(uint64_t value)
{
    return value;
}

static const char *bytes(uint64_t count)
{
    return count == 1 ? "byte" : "bytes";
}

static char *say_write(const struct said *said)
{
    const struct op *op = said->op;
    return mem_format("%s %llu %s at %llu to %s", said->call, number(op->payload_size),
                      bytes(op->payload_size), number(op->offset), said->path);
}

static char *say_allocate(const struct said *said)
{
    const struct op *op = said->op;
    const char *what = "allocate";
    if (op->mode & FALLOC_FL_PUNCH_HOLE) {
        what = "punch a hole of";
    } else if (op->mode & FALLOC_FL_COLLAPSE_RANGE) {
        what = "collapse";
    } else if (op->mode & FALLOC_FL_ZERO_RANGE) {
        what = "zero";
    } else if (op->mode & FALLOC_FL_INSERT_RANGE) {
        what = "insert";
    } else if (op->mode & FALLOC_FL_KEEP_SIZE) {
        what = "allocate, keeping the size,";
    }
    return mem_format("%s %llu %s at %llu in %s", what, number(op->size), bytes(op->size),
                      number(op->offset), said->path);
}

/* Where a symbolic link leads. Never NULL; the payload may be unreadable, and a line for people is
 * no place to fail. */
static char *target_of(const struct said *said)
{
    enum { TARGET_MAX = 4096 };
    char target[TARGET_MAX];
    const struct op *op = said->op;
    struct err err = {0};
    const size_t size = op->payload_size < TARGET_MAX ? op->payload_size : TARGET_MAX;
    if (!trace_read(said->trace, op->payload, target, size, &err))
        return mem_string("?");
    return text_escape(target, size);
}

static char *say_create(const struct said *said)
{
    const struct op *op = said->op;
    if (op->dir == NODE_NONE)
        return mem_string("create a file without a name");
    if ((op->mode & S_IFMT) == S_IFLNK) {
        char *target OWN(own_mem) = target_of(said);
        return mem_format("create symbolic link %s to %s", said->path, target);
    }
    const char *type = "file";
    if ((op->mode & S_IFMT) == S_IFDIR) {
        type = "folder";
    } else if ((op->mode & S_IFMT) == S_IFIFO) {
        type = "FIFO";
    } else if ((op->mode & S_IFMT) == S_IFSOCK) {
        type = "socket";
    } else if ((op->mode & S_IFMT) == S_IFCHR || (op->mode & S_IFMT) == S_IFBLK) {
        type = "device";
    }
    return mem_format("create %s %s", type, said->path);
}

static char *say_link(const struct said *said)
{
    if (!*said->path2)
        return mem_format("link %s", said->path);
    return mem_format("link %s to %s", said->path2, said->path);
}

static char *say_rename(const struct said *said)
{
    const bool is_exchange = said->op->call_flags & RENAME_EXCHANGE;
    return mem_format(is_exchange ? "exchange %s and %s" : "rename %s to %s", said->path,
                      said->path2);
}

static char *say_chown(const struct said *said)
{
    const struct op *op = said->op;
    char *uid OWN(own_mem) = op->uid == UINT32_MAX ? mem_string("") : mem_format("%u", op->uid);
    char *gid OWN(own_mem) = op->gid == UINT32_MAX ? mem_string("") : mem_format("%u", op->gid);
    return mem_format("chown %s to %s:%s", said->path, uid, gid);
}

static char *say_sync(const struct said *said)
{
    const struct op *op = said->op;
    const bool has_range = op->kind == OP_SYNC_RANGE || op->kind == OP_SYNC_MAP;
    char *range OWN(own_mem) = has_range ? mem_format(", %llu %s at %llu", number(op->size),
                                                      bytes(op->size), number(op->offset))
                                         : mem_string("");
    char *failed OWN(own_mem) =
        op->error ? mem_format(" (failed: %s)", strerrordesc_np(op->error)) : mem_string("");
    const char *space = *said->path ? " " : "";
    return mem_format("%s%s%s%s%s", said->call, space, said->path, range, failed);
}

static char *say_receive(const struct said *said)
{
    const struct op *op = said->op;
    if (op->payload_size == 0 && op->size == 0)
        return mem_format("receive the end of %s", said->path);
    const uint64_t size = op->payload_size ? op->payload_size : op->size;
    return mem_format("receive %llu %s from %s", number(size), bytes(size), said->path);
}

static char *say_exit(const struct said *said)
{
    const struct op *op = said->op;
    const int status = (int)op->size;
    if (WIFSIGNALED(status))
        return mem_format("thread %u: killed by signal %d", op->thread, WTERMSIG(status));
    return mem_format("thread %u: exit with %d", op->thread, WEXITSTATUS(status));
}

static char *say_outside(const struct said *said)
{
    const struct op *op = said->op;
    const char *verb = op->kind == OP_SEND ? "send" : said->call;
    return mem_format("%s %llu %s to %s", verb, number(op->payload_size), bytes(op->payload_size),
                      said->path);
}

static char *say_connect(const struct said *said)
{
    const bool is_accept = strncmp(said->call, "accept", strlen("accept")) == 0;
    return mem_format(is_accept ? "accept a connection from %s" : "connect to %s", said->path);
}

static char *say(const struct said *said)
{
    const struct op *op = said->op;
    switch ((enum op_kind)op->kind) {
    case OP_WRITE:
    case OP_STORE:
        return say_write(said);
    case OP_TRUNCATE:
        return mem_format("truncate %s to %llu %s", said->path, number(op->size), bytes(op->size));
    case OP_ALLOCATE:
        return say_allocate(said);
    case OP_CREATE:
        return say_create(said);
    case OP_LINK:
        return say_link(said);
    case OP_UNLINK:
        return mem_format("remove %s", said->path);
    case OP_RENAME:
        return say_rename(said);
    case OP_CARRY:
        return mem_format("rename %s to %s, outside the workspace", said->path, said->path2);
    case OP_CHMOD:
        return mem_format("chmod %s to %o", said->path, op->mode & ~(unsigned)S_IFMT);
    case OP_CHOWN:
        return say_chown(said);
    case OP_TIMES:
        return mem_format("set the times of %s", said->path);
    case OP_SETXATTR:
        return mem_format("set attribute %s of %s", said->name, said->path);
    case OP_REMOVEXATTR:
        return mem_format("remove attribute %s of %s", said->name, said->path);
    case OP_SYNC:
    case OP_SYNC_RANGE:
    case OP_SYNC_MAP:
    case OP_SYNC_ALL:
        return say_sync(said);
    case OP_OUTPUT:
    case OP_SEND:
        return say_outside(said);
    case OP_CONNECT:
        return say_connect(said);
    case OP_RECEIVE:
        return say_receive(said);
    case OP_SHUTDOWN:
        return mem_format("close the connection to %s", said->path);
    case OP_START:
        return mem_format("thread %llu: start thread %u", number(op->size), op->thread);
    case OP_EXEC:
        return mem_format("thread %u: exec %s", op->thread, said->path);
    case OP_EXIT:
        return say_exit(said);
    case OP_LOCK:
        return mem_format("lock %s%s", said->path,
                          op->call_flags == (uint32_t)F_RDLCK ? ", shared" : "");
    case OP_UNLOCK:
        return mem_format("give back the lock on %s", said->path);
    case OP_KIND_COUNT:
        break;
    }
    UNREACHABLE("op kind");
}

char *trace_sentence(const struct trace *trace, const struct op *op)
{
    const bool is_root = op->path == 0 && op->node == NODE_ROOT && op->kind < OP_SYNC_ALL;
    char *path OWN(own_mem) = text_escape(is_root ? "." : trace_string(trace, op->path), SIZE_MAX);
    char *path2 OWN(own_mem) = text_escape(trace_string(trace, op->path2), SIZE_MAX);
    char *name OWN(own_mem) = text_escape(trace_string(trace, op->name), SIZE_MAX);
    const struct said said = {.trace = trace,
                              .op = op,
                              .call = op_call_name(op),
                              .path = path,
                              .path2 = path2,
                              .name = name};
    return say(&said);
}
