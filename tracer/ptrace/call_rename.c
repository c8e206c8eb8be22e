/* rename, renameat, renameat2: inside the workspace, into it, out of it, and exchanges. */
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"
#include "place.h"
#include "taken_in.h"
#include "tracer/base/own.h"

/* Not in every libc's headers. */
enum { FLAG_WHITEOUT = 1 << 2 };

static uint64_t flags_of(const struct call *call)
{
    return call->nr == SYS_renameat2 ? call->args[4] : 0;
}

static bool find_places(struct recorder *recorder, struct tracee *tracee)
{
    struct call *call = &tracee->call;
    const bool is_plain = call->nr == SYS_rename;
    char path[PATH_MAX];
    const struct walk_who from = place_who(tracee, is_plain ? -1 : 0);
    const struct walk_who to = place_who(tracee, is_plain ? -1 : 2);
    return place_path(tracee, is_plain ? 0 : 1, path) &&
           place_find(recorder, &from, path, &call->from) &&
           place_path(tracee, is_plain ? 1 : 3, path) && place_find(recorder, &to, path, &call->to);
}

enum call_next rename_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct call *call = &tracee->call;
    if (!find_places(recorder, tracee))
        return CALL_IGNORED;
    const struct call_place *from = &call->from;
    const struct call_place *to = &call->to;
    if (from->dir == NODE_NONE && to->dir == NODE_NONE)
        return CALL_IGNORED;
    call->op = emit_start(tracee, OP_RENAME);
    call->op.call_flags = (uint32_t)flags_of(call);
    if ((call->op.call_flags & FLAG_WHITEOUT) != 0) {
        err_usage(err, "renameat2 of %s with RENAME_WHITEOUT cannot be recorded", from->walk.name);
        return CALL_FAILED;
    }
    char *from_name OWN(own_mem) = place_name(recorder, from);
    char *to_name OWN(own_mem) = place_name(recorder, to);
    struct strings *strings = &recorder->writer->trace->strings;
    call->op.dir = from->dir;
    call->op.name = strings_add(strings, from->walk.name);
    call->op.path = strings_add(strings, from_name);
    call->op.node = from->node;
    call->op.dir2 = to->dir;
    call->op.name2 = strings_add(strings, to->walk.name);
    call->op.path2 = strings_add(strings, to_name);
    call->op.node2 = to->node;
    return CALL_SERIAL;
}

/* A name of the workspace goes: to the outside, or because something else came in its place. */
static void lose_name(struct recorder *recorder, const struct tracee *tracee, bool is_from,
                      enum op_kind kind)
{
    const struct op *rename = &tracee->call.op;
    struct op op = emit_start(tracee, kind);
    op.dir = is_from ? rename->dir : rename->dir2;
    op.name = is_from ? rename->name : rename->name2;
    op.node = is_from ? rename->node : rename->node2;
    op.path = is_from ? rename->path : rename->path2;
    op.path2 = is_from ? rename->path2 : rename->path;
    op.call_flags = rename->call_flags;
    emit(recorder, &op);
}

static void more(struct recorder *recorder)
{
    struct trace *trace = recorder->writer->trace;
    trace->ops[trace->count - 1].flags |= OP_MORE;
}

/* One side of the rename is outside. What stood in the workspace at the name that is taken over
 * goes first, then the newcomer is read in. */
static bool leave_across(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct call *call = &tracee->call;
    const bool is_exchange = (call->op.call_flags & RENAME_EXCHANGE) != 0;
    const bool is_out = call->op.dir != NODE_NONE;
    const struct call_place *inside = is_out ? &call->from : &call->to;
    if (is_out && !is_exchange) {
        lose_name(recorder, tracee, true, OP_CARRY);
        return true;
    }
    if (inside->node != NODE_NONE) {
        lose_name(recorder, tracee, is_out, is_exchange ? OP_CARRY : OP_UNLINK);
        more(recorder);
    }
    return taken_in(recorder, tracee, inside, err);
}

bool rename_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    if (result < 0)
        return true;
    if (call->op.dir == NODE_NONE || call->op.dir2 == NODE_NONE)
        return leave_across(recorder, tracee, err);
    if (call->op.node == NODE_NONE) {
        return err_usage(err, "rename of %s: the recording does not know this file",
                         trace_string(recorder->writer->trace, call->op.path));
    }
    if (call->op.node == call->op.node2)
        return true; /* two names of one file: the kernel does nothing */
    emit(recorder, &call->op);
    return true;
}
