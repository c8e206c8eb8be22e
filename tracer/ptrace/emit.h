/* emit.h - writing the ops of a call. */
#ifndef PTRACE_EMIT_H
#define PTRACE_EMIT_H

#include "recorder.h"

/* A new op of the call, with everything that is the same for all ops of one call. */
struct op emit_start(const struct tracee *tracee, enum op_kind kind);

/* Takes the thread's stack for the ops of its call. At the entry. */
void emit_stack(struct recorder *recorder, struct tracee *tracee);

/* Writes the op down and follows it in the tables. Returns its number. */
uint32_t emit(struct recorder *recorder, struct op *op);

/* A new node with this inode. facts: of the object as it is now. fd: any descriptor of the object
 * (O_PATH), for its extended attributes. A create of a name or (dir NODE_NONE) of none. */
struct emit_created {
    uint32_t dir;
    const char *name;
    int fd;
};
MUST_USE bool emit_create(struct recorder *recorder, const struct tracee *tracee,
                          const struct emit_created *what, uint32_t *node, struct err *err);

/* After a call that may have changed owner or permission bits of a node as a side effect (writes
 * clear set-id bits): an OP_CHMOD when the bits are not what the trace says. */
void emit_mode_if_changed(struct recorder *recorder, const struct tracee *tracee, uint32_t node,
                          uint32_t mode);

/* Ops [first, now) get thread, call and stack of the call; all but the last get OP_MORE. For ops
 * that were written by others (snapshot). */
void emit_adopt(struct recorder *recorder, const struct tracee *tracee, uint32_t first);

/* Stores through mappings since the last call, as a group of their own. */
MUST_USE bool emit_stores(struct recorder *recorder, const struct tracee *tracee, struct err *err);

/* "writes outside the workspace: PATH (not followed)", for the first few paths. */
void emit_outside_note(struct recorder *recorder, const char *path);

#endif
