#include "locks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include "emit.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* The kernel has three kinds: of a process, of an open file, and flock's. The first two exclude
 * each other, the third stands for itself. */
enum way { WAY_PROCESS, WAY_OPEN_FILE, WAY_FLOCK };

struct lock {
    pid_t pid;
    uint32_t party, thread, node;
    int fd; /* our own, on the file; it holds no lock */
    enum way way;
    bool is_shared;
};

struct locks {
    struct lock *items;
    size_t count, capacity;
};

bool locks_are_wanted(const struct record_options *options)
{
    const struct barrier *barrier = options->barrier;
    return options->locks != NULL || (barrier != NULL && (strcmp(barrier->call, "lock") == 0 ||
                                                          strcmp(barrier->call, "unlock") == 0));
}

struct locks *locks_new(void)
{
    return mem_new(1, sizeof(struct locks));
}

void locks_free(struct locks *locks)
{
    if (locks == NULL)
        return;
    for (size_t i = 0; i < locks->count; i++)
        own_fd(&locks->items[i].fd);
    free(locks->items);
    free(locks);
}

/* The whole file is asked about, as if we wanted to write it. *pid: who is in the way; -1 where the
 * kernel names nobody. */
static bool is_in_the_way(const struct lock *lock, pid_t *pid, short *type)
{
    struct flock asked = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int command = lock->way == WAY_OPEN_FILE ? F_OFD_GETLK : F_GETLK;
    if (fcntl(lock->fd, command, &asked) == -1 || asked.l_type == F_UNLCK)
        return false;
    *pid = asked.l_pid;
    *type = asked.l_type;
    return true;
}

static bool is_held(const struct lock *lock)
{
    pid_t pid = 0;
    short type = 0;
    if (lock->way == WAY_FLOCK) {
        const bool is_free = flock(lock->fd, LOCK_EX | LOCK_NB) == 0;
        if (is_free)
            flock(lock->fd, LOCK_UN);
        return !is_free;
    }
    if (!is_in_the_way(lock, &pid, &type))
        return false;
    if (lock->way == WAY_OPEN_FILE)
        return pid == -1;
    return pid == lock->pid || type == F_RDLCK; /* of several readers only one is named */
}

static void tell_end(struct recorder *recorder, size_t at, long nr)
{
    struct locks *locks = recorder->locks;
    struct lock lock = locks->items[at];
    struct op op = {.kind = OP_UNLOCK,
                    .thread = lock.thread,
                    .enter = recorder->writer->trace->count,
                    .call = (uint16_t)nr,
                    .node = lock.node,
                    .path = nodes_path(&recorder->nodes, lock.node)};
    emit(recorder, &op);
    own_fd(&lock.fd);
    locks->items[at] = locks->items[--locks->count];
}

static bool excludes(const struct lock *a, const struct lock *b)
{
    return a->node == b->node && (a->way == WAY_FLOCK) == (b->way == WAY_FLOCK) &&
           !(a->is_shared && b->is_shared) && a->pid != b->pid;
}

static struct lock lock_of(const struct tracee *tracee)
{
    const struct call *call = &tracee->call;
    const int command = (int)call->args[1];
    const bool is_open_file = command == F_OFD_SETLK || command == F_OFD_SETLKW;
    return (struct lock){.pid = tracee->process->pid,
                         .party = tracee->process->party,
                         .thread = tracee->number,
                         .node = call->op.node,
                         .fd = -1,
                         .way = call->nr == SYS_flock ? WAY_FLOCK
                                : is_open_file        ? WAY_OPEN_FILE
                                                      : WAY_PROCESS,
                         .is_shared = call->op.call_flags == (uint32_t)F_RDLCK};
}

/* One that the process has already may become exclusive or shared. */
static bool is_known(struct locks *locks, const struct lock *lock)
{
    for (size_t i = 0; i < locks->count; i++) {
        struct lock *known = &locks->items[i];
        if (known->pid != lock->pid || known->node != lock->node || known->way != lock->way)
            continue;
        known->is_shared = lock->is_shared;
        return true;
    }
    return false;
}

bool locks_taken(struct recorder *recorder, struct tracee *tracee, struct err *err)
{
    struct locks *locks = recorder->locks;
    struct lock lock = lock_of(tracee);
    for (size_t i = locks->count; i > 0; i--) {
        if (excludes(&locks->items[i - 1], &lock))
            tell_end(recorder, i - 1, tracee->call.nr);
    }
    emit(recorder, &tracee->call.op);
    if (is_known(locks, &lock))
        return true;
    lock.fd = files_reopen(tracee->tid, (int)tracee->call.args[0]);
    if (lock.fd == -1) {
        return err_system(err, "open %s to follow its locks",
                          trace_string(recorder->writer->trace, tracee->call.op.path));
    }
    mem_grow(&locks->items, &locks->capacity, locks->count + 1, sizeof *locks->items);
    locks->items[locks->count++] = lock;
    return true;
}

static bool is_of(const struct lock *lock, const struct process *process)
{
    return lock->way == WAY_PROCESS ? lock->pid == process->pid : lock->party == process->party;
}

bool locks_has(const struct recorder *recorder, const struct process *process, uint32_t node)
{
    const struct locks *locks = recorder->locks;
    for (size_t i = 0; i < locks->count; i++) {
        if (locks->items[i].node == node && is_of(&locks->items[i], process))
            return true;
    }
    return false;
}

void locks_look(struct recorder *recorder, const struct process *process, long nr)
{
    const struct locks *locks = recorder->locks;
    for (size_t i = locks == NULL ? 0 : locks->count; i > 0; i--) {
        const struct lock *lock = &locks->items[i - 1];
        if (is_of(lock, process) && !is_held(lock))
            tell_end(recorder, i - 1, nr);
    }
}

bool locks_has_party(const struct recorder *recorder, uint32_t party)
{
    const struct locks *locks = recorder->locks;
    for (size_t i = 0; i < locks->count; i++) {
        if (locks->items[i].party == party)
            return true;
    }
    return false;
}
