/* Syncs. They overlap with everything else: the op says how many ops were complete at the entry,
 * and stands in the trace where the sync returned. */
#include <sys/stat.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"

enum call_next sync_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    struct file file;
    if (call->nr == SYS_sync) {
        call->op = emit_start(tracee, OP_SYNC_ALL);
        return CALL_FOLLOWED;
    }
    if (!files_get(recorder->files, tracee->tid, (int)call->args[0], &file))
        return CALL_FREE;
    if (call->nr == SYS_syncfs) {
        call->op = emit_start(tracee, OP_SYNC_ALL);
        return file.dev == recorder->nodes.dev ? CALL_FOLLOWED : CALL_FREE;
    }
    if (file.kind != FILE_NODE)
        return CALL_FREE;
    call->op = emit_start(tracee, call->nr == SYS_sync_file_range ? OP_SYNC_RANGE : OP_SYNC);
    call->op.node = file.node;
    call->op.path = nodes_path(&recorder->nodes, file.node);
    if (call->nr == SYS_sync_file_range) {
        call->op.offset = call->args[1];
        call->op.size = call->args[2];
        call->op.call_flags = (uint32_t)call->args[3];
    }
    return CALL_FOLLOWED;
}

bool sync_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    if (result < 0)
        call->op.error = (int32_t)-result;
    emit(recorder, &call->op);
    return true;
}
