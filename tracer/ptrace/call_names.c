/* Calls that make a new object under a name, add a name, or take one away. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"
#include "place.h"
#include "taken_in.h"
#include "tracer/base/own.h"

enum call_next make_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    char path[PATH_MAX];
    if (!place_path(tracee, call->handler->path, path))
        return CALL_IGNORED;
    const struct walk_who who = place_who(tracee, call->handler->dirfd);
    if (!place_find(recorder, &who, path, &call->from) || call->from.dir == NODE_NONE ||
        call->from.node != NODE_NONE)
        return CALL_IGNORED;
    call->op = emit_start(tracee, OP_CREATE);
    return CALL_SERIAL;
}

bool make_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    if (result < 0)
        return true;
    int object OWN(own_fd) = walk_open_place(&call->from.walk);
    if (object == -1)
        return err_system(err, "look at the new %s", call->from.walk.name);
    const struct emit_created what = {
        .dir = call->from.dir, .name = call->from.walk.name, .fd = object};
    uint32_t node;
    return emit_create(recorder, tracee, &what, &node, err);
}

/* The arguments of link and linkat. */
struct link_args {
    int from_dirfd, to_dirfd; /* as place_who wants them */
    int from, to;
    uint64_t flags;
};

static struct link_args link_args(const struct call *call)
{
    if (call->nr == SYS_link)
        return (struct link_args){.from_dirfd = -1, .to_dirfd = -1, .from = 0, .to = 1};
    return (struct link_args){
        .from_dirfd = 0, .to_dirfd = 2, .from = 1, .to = 3, .flags = call->args[4]};
}

/* The file to be linked, kept open until the exit. */
static int open_source(const struct tracee *tracee, const struct link_args *args, const char *path)
{
    const struct walk_who who = place_who(tracee, args->from_dirfd);
    if (path[0] == '\0' && (args->flags & AT_EMPTY_PATH) == 0)
        return -1;
    return walk_open(&who, path, (args->flags & AT_SYMLINK_FOLLOW) != 0);
}

enum call_next link_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    const struct link_args args = link_args(call);
    char from[PATH_MAX], to[PATH_MAX];
    if (!place_path(tracee, args.from, from) || !place_path(tracee, args.to, to))
        return CALL_IGNORED;
    const struct walk_who who = place_who(tracee, args.to_dirfd);
    if (!place_find(recorder, &who, to, &call->to) || call->to.dir == NODE_NONE ||
        call->to.node != NODE_NONE)
        return CALL_IGNORED; /* a second name outside changes nothing in the workspace */
    call->fd = open_source(tracee, &args, from);
    if (call->fd == -1)
        return CALL_IGNORED;
    call->op = emit_start(tracee, OP_LINK);
    call->op.node = place_node_of(recorder, call->fd, NULL);
    call->op.path2 = nodes_path(&recorder->nodes, call->op.node);
    return CALL_SERIAL;
}

bool link_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    if (result < 0)
        return true;
    if (call->op.node == NODE_NONE)
        return taken_in(recorder, tracee, &call->to, err);
    char *path OWN(own_mem) = place_name(recorder, &call->to);
    struct strings *strings = &recorder->writer->trace->strings;
    call->op.dir = call->to.dir;
    call->op.name = strings_add(strings, call->to.walk.name);
    call->op.path = strings_add(strings, path);
    emit(recorder, &call->op);
    return true;
}

enum call_next unlink_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    char path[PATH_MAX];
    if (!place_path(tracee, call->handler->path, path))
        return CALL_IGNORED;
    const struct walk_who who = place_who(tracee, call->handler->dirfd);
    if (!place_find(recorder, &who, path, &call->from) || call->from.dir == NODE_NONE ||
        call->from.node == NODE_NONE)
        return CALL_IGNORED;
    char *name OWN(own_mem) = place_name(recorder, &call->from);
    struct strings *strings = &recorder->writer->trace->strings;
    call->op = emit_start(tracee, OP_UNLINK);
    call->op.dir = call->from.dir;
    call->op.name = strings_add(strings, call->from.walk.name);
    call->op.node = call->from.node;
    call->op.path = strings_add(strings, name);
    return CALL_SERIAL;
}

bool unlink_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)err;
    if (result == 0)
        emit(recorder, &tracee->call.op);
    return true;
}
