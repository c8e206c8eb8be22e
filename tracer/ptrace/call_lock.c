/* Locks on files of the workspace: fcntl, lockf (which is fcntl) and flock. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"
#include "locks.h"
#include "turns.h"

/* The range of the request, from the file's beginning. */
static void set_range(const struct recorder *recorder, const struct file *file,
                      const struct flock *asked, struct op *op)
{
    int64_t start = asked->l_start;
    if (asked->l_whence == SEEK_CUR)
        start += (int64_t)file->position;
    if (asked->l_whence == SEEK_END)
        start += (int64_t)nodes_facts(&recorder->nodes, file->node)->size;
    op->offset = (uint64_t)(asked->l_len < 0 ? start + asked->l_len : start);
    op->size = (uint64_t)(asked->l_len < 0 ? -asked->l_len : asked->l_len);
}

/* F_RDLCK, F_WRLCK or F_UNLCK; -1: none of them, which the kernel refuses too. */
static int type_of(const struct recorder *recorder, const struct tracee *tracee,
                   const struct file *file, struct op *op)
{
    const struct call *call = &tracee->call;
    struct flock asked;
    if (call->nr == SYS_flock) {
        const int operation = (int)call->args[1] & ~LOCK_NB;
        return operation == LOCK_SH   ? F_RDLCK
               : operation == LOCK_EX ? F_WRLCK
               : operation == LOCK_UN ? F_UNLCK
                                      : -1;
    }
    if (!memory_read_all(tracee->tid, call->args[2], &asked, sizeof asked))
        return -1;
    set_range(recorder, file, &asked, op);
    return asked.l_type;
}

enum call_next lock_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    struct file file;
    if (!files_get(recorder->files, tracee->tid, (int)call->args[0], &file) ||
        file.kind != FILE_NODE)
        return CALL_FREE;
    struct op op = emit_start(tracee, OP_LOCK);
    const int type = type_of(recorder, tracee, &file, &op);
    if (type != F_RDLCK && type != F_WRLCK && type != F_UNLCK)
        return CALL_FREE;
    op.node = file.node;
    op.path = nodes_path(&recorder->nodes, file.node);
    op.call_flags = (uint32_t)type;
    call->op = op;
    if (type == F_UNLCK) {
        call->op.kind = OP_UNLOCK;
        return locks_has(recorder, tracee->process, file.node) ? CALL_FOLLOWED : CALL_FREE;
    }
    return turns_must_wait(recorder, tracee) ? CALL_WAITING : CALL_FOLLOWED;
}

bool lock_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    const struct call *call = &tracee->call;
    if (result < 0)
        return true;
    if (call->op.kind == OP_UNLOCK) {
        locks_look(recorder, tracee->process, call->nr);
        return true;
    }
    turns_taken(recorder, tracee->process->party);
    return locks_taken(recorder, tracee, err);
}
