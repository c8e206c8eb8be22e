/* call.h - one system call of the worker, from its entry to its exit.
 *
 * Each call that matters has an entry in a table: what to do when a thread arrives at it (find out
 * what it is about, take its bytes) and when it has been done (write the op). A handler that finds
 * at the entry that the call is no concern spares the worker the exit stop. */
#ifndef PTRACE_CALL_H
#define PTRACE_CALL_H

#include "memory.h"
#include "path_walk.h"

struct recorder;
struct tracee;
struct call;

enum call_next {
    CALL_FREE,     /* no concern, and may wait for another thread: goes on, no exit stop */
    CALL_IGNORED,  /* no concern as names and files stand now, which another thread may change
                      before the kernel looks: serial while there are others, free otherwise */
    CALL_DONE,     /* the op is written already: goes on, no exit stop */
    CALL_FOLLOWED, /* the exit handler is to be called */
    CALL_SERIAL,   /* the same, and no other serial call may begin before */
    CALL_WAITING,  /* not its turn: to be begun later */
    CALL_FAILED,   /* *err is set: the recording ends */
};

struct call_handler { /* NOLINT(clang-analyzer-optin.performance.Padding): read as a table */
    int nr;
    enum call_next (*enter)(struct recorder *recorder, struct tracee *tracee, struct err *err);
    bool (*leave)(struct recorder *recorder, struct tracee *tracee, long result, struct err *err);
    bool is_serial; /* waits at its entry while a serial call is under way */
    int8_t dirfd;   /* argument with the directory descriptor; -1: none, the working directory */
    int8_t path;    /* argument with the path, or with the descriptor for calls without path */
    int8_t extra;   /* argument with flags or mode, as the handler likes; -1: none */
};

/* A name in a directory as the worker's call has it. */
struct call_place {
    struct walk_place walk;
    uint32_t dir;  /* node of the directory; NODE_NONE: outside the workspace, or excluded */
    uint32_t node; /* what the name leads to; NODE_NONE: nothing, or nothing of the workspace */
};

struct call {
    const struct call_handler *handler;
    long nr;
    uint64_t args[6];
    uint64_t sp;
    uint64_t order; /* of arrival, for those that wait */
    uint32_t enter; /* ops that were complete at the entry */
    uint32_t stack;
    uint64_t got;    /* payload bytes taken at the entry */
    bool is_ignored; /* serial for the sake of order only */
    bool existed;    /* open: the file was there before; sockets: something was seen before */
    int fd;          /* an object the handler keeps open until the exit; -1 */
    uint32_t op_flags;
    struct op op; /* as far as it is known at the entry */
    struct call_place from, to;
};

/* Makes it empty, with no descriptors. */
void call_init(struct call *call);
void call_fini(struct call *call);

/* The handler of a call, or NULL. */
const struct call_handler *call_find(long nr);

/* All of them, for the filter. */
const struct call_handler *call_table(size_t *count);

#endif
