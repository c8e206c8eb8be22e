/* Opens that make or empty a file. All others change nothing and do not even stop. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "calls.h"
#include "emit.h"
#include "place.h"
#include "tracer/base/own.h"

/* false: the flags cannot be read, or the open changes nothing. */
static bool open_flags(const struct tracee *tracee, uint64_t *flags)
{
    const struct call *call = &tracee->call;
    if (call->nr == SYS_creat) {
        *flags = O_CREAT | O_TRUNC | O_WRONLY;
    } else if (call->nr != SYS_openat2) {
        *flags = call->args[call->handler->extra];
    } else if (!memory_read_all(tracee->tid, call->args[2], flags, sizeof *flags)) {
        return false; /* struct open_how begins with the flags */
    }
    return (*flags & (O_CREAT | O_TRUNC)) != 0 || (*flags & O_TMPFILE) == O_TMPFILE;
}

/* O_EXCL with O_CREAT does not follow a link at the end, and neither does O_NOFOLLOW. */
static bool wants_follow(uint64_t flags)
{
    return (flags & O_NOFOLLOW) == 0 && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
}

static enum call_next enter_temporary(struct recorder *recorder, struct tracee *tracee,
                                      const char *path)
{
    struct call *call = &tracee->call;
    const struct walk_who who = place_who(tracee, call->handler->dirfd);
    int dir OWN(own_fd) = walk_open(&who, path, true);
    if (dir == -1)
        return CALL_IGNORED;
    call->op = emit_start(tracee, OP_CREATE);
    call->op.dir = NODE_NONE;
    call->existed = false;
    call->from.dir = place_node_of(recorder, dir, NULL);
    return CALL_SERIAL;
}

/* What is there before the open. A FIFO or device is opened without holding up other threads, for
 * the open may wait for one of them; it makes and empties nothing. */
static enum call_next enter_existing(struct recorder *recorder, struct call *call, int fd,
                                     uint64_t flags)
{
    uint32_t mode = 0;
    const uint32_t node = place_node_of(recorder, fd, &mode);
    call->existed = true;
    if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode))
        return CALL_FREE;
    if (node == NODE_NONE || !S_ISREG(mode) || (flags & O_TRUNC) == 0)
        return CALL_IGNORED;
    call->op.kind = OP_TRUNCATE;
    call->op.node = node;
    call->op.path = nodes_path(&recorder->nodes, node);
    return CALL_SERIAL;
}

enum call_next open_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    uint64_t flags;
    char path[PATH_MAX];
    if (!open_flags(tracee, &flags) || (flags & O_PATH) != 0)
        return CALL_FREE;
    if (!place_path(tracee, call->handler->path, path))
        return CALL_IGNORED;
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return enter_temporary(recorder, tracee, path);
    const struct walk_who who = place_who(tracee, call->handler->dirfd);
    const bool is_found = wants_follow(flags)
                              ? place_find_followed(recorder, &who, path, &call->from)
                              : place_find(recorder, &who, path, &call->from);
    if (!is_found)
        return CALL_IGNORED;
    call->op = emit_start(tracee, OP_CREATE);
    int fd OWN(own_fd) = walk_open_place(&call->from.walk);
    if (fd != -1)
        return enter_existing(recorder, call, fd, flags);
    return (flags & O_CREAT) != 0 ? CALL_SERIAL : CALL_IGNORED;
}

/* A file that has just been made outside: should it have got the inode number of a file of ours
 * that is gone, that is not it any more. */
static void forget_number(struct recorder *recorder, const struct stat *facts)
{
    const uint32_t node = nodes_of_inode(&recorder->nodes, facts->st_dev, facts->st_ino);
    if (node > NODE_ROOT && nodes_facts(&recorder->nodes, node)->links == 0)
        map_remove(&recorder->nodes.by_ino, facts->st_ino);
}

/* A file was made outside the workspace. Names that the user excluded are not worth a word. */
static void leave_outside(struct recorder *recorder, const struct call *call,
                          const struct stat *facts)
{
    forget_number(recorder, facts);
    if (call->from.walk.dir_fd == -1 ||
        place_node_of(recorder, call->from.walk.dir_fd, NULL) != NODE_NONE)
        return;
    char *name OWN(own_mem) = place_name(recorder, &call->from);
    if (S_ISREG(facts->st_mode))
        emit_outside_note(recorder, name);
}

static bool leave_created(struct recorder *recorder, struct tracee *tracee, int fd, struct err *err)
{
    struct call *call = &tracee->call;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tracee->tid, fd);
    int object OWN(own_fd) = open(path, O_PATH | O_CLOEXEC);
    struct stat facts;
    if (object == -1 || fstat(object, &facts) == -1)
        return err_system(err, "look at the new file %s", call->from.walk.name);
    if (call->from.dir == NODE_NONE) {
        leave_outside(recorder, call, &facts);
        return true;
    }
    const bool has_name = call->from.walk.dir_fd != -1;
    const struct emit_created what = {
        .dir = has_name ? call->from.dir : NODE_NONE, .name = call->from.walk.name, .fd = object};
    uint32_t node;
    return emit_create(recorder, tracee, &what, &node, err);
}

bool open_leave(struct recorder *recorder, struct tracee *tracee, long result, struct err *err)
{
    struct call *call = &tracee->call;
    if (result < 0)
        return true;
    if (!call->existed)
        return leave_created(recorder, tracee, (int)result, err);
    const struct node_facts *known = nodes_facts(&recorder->nodes, call->op.node);
    if (known->size == 0)
        return true; /* it was empty already */
    call->op.size = 0;
    emit(recorder, &call->op);
    mapped_written(recorder->mapped, call->op.node, 0, 0);
    char path[64];
    struct stat facts;
    snprintf(path, sizeof path, "/proc/%d/fd/%ld", (int)tracee->tid, result);
    if (stat(path, &facts) == 0)
        emit_mode_if_changed(recorder, tracee, call->op.node, facts.st_mode);
    return true;
}

enum call_next open_handle_enter(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    (void)recorder;
    (void)err;
    tracee->call.op = emit_start(tracee, OP_TRUNCATE);
    return (tracee->call.args[2] & O_TRUNC) != 0 ? CALL_SERIAL : CALL_IGNORED;
}

/* Which file the handle means is known when it is open: it has been emptied then. */
bool open_handle_leave(struct recorder *recorder, struct tracee *tracee, long result,
                       struct err *err)
{
    (void)err;
    struct call *call = &tracee->call;
    struct file file;
    if (result < 0 || !files_get(recorder->files, tracee->tid, (int)result, &file) ||
        file.kind != FILE_NODE || nodes_facts(&recorder->nodes, file.node)->size == 0)
        return true;
    call->op.node = file.node;
    call->op.path = nodes_path(&recorder->nodes, file.node);
    emit(recorder, &call->op);
    return true;
}
