#include "barrier_call.h"

#include <stddef.h>
#include <string.h>

#define KIND(kind) BARRIER_CALL_KIND(OP_##kind)

#define BYTES (KIND(WRITE) | KIND(OUTPUT) | KIND(SEND))

/* Families first; then single calls. A family that has the name of a call means the call as well:
 * "write" is also what write(2) sends through a socket. */
static const struct barrier_call table[] = {
    {"write", KIND(WRITE) | KIND(OUTPUT), NULL},
    {"send", KIND(SEND), NULL},
    {"receive", KIND(RECEIVE), NULL},
    {"sync", BARRIER_CALL_SYNCS, NULL},
    {"open", KIND(CREATE) | KIND(TRUNCATE), " open openat openat2 creat open_by_handle_at "},
    {"create", KIND(CREATE), NULL},
    {"mkdir", KIND(CREATE), " mkdir mkdirat "},
    {"symlink", KIND(CREATE), " symlink symlinkat "},
    {"link", KIND(LINK), NULL},
    {"unlink", KIND(UNLINK), NULL},
    {"rename", KIND(RENAME) | KIND(CARRY), NULL},
    {"truncate", KIND(TRUNCATE), NULL},
    {"allocate", KIND(ALLOCATE), NULL},
    {"chmod", KIND(CHMOD), NULL},
    {"chown", KIND(CHOWN), NULL},
    {"times", KIND(TIMES), NULL},
    {"xattr", KIND(SETXATTR) | KIND(REMOVEXATTR), NULL},
    {"connect", KIND(CONNECT), " connect "},
    {"accept", KIND(CONNECT), " accept accept4 "},
    {"shutdown", KIND(SHUTDOWN), NULL},
    {"lock", KIND(LOCK), NULL},
    {"unlock", KIND(UNLOCK), NULL},

    {"pwrite64", BYTES, " pwrite64 "},
    {"writev", BYTES, " writev "},
    {"pwritev", BYTES, " pwritev "},
    {"pwritev2", BYTES, " pwritev2 "},
    {"sendfile", BYTES, " sendfile "},
    {"copy_file_range", BYTES, " copy_file_range "},
    {"splice", BYTES, " splice "},
    {"vmsplice", BYTES, " vmsplice "},
    {"sendto", KIND(SEND), " sendto "},
    {"sendmsg", KIND(SEND), " sendmsg "},
    {"sendmmsg", KIND(SEND), " sendmmsg "},
    {"read", KIND(RECEIVE), " read "},
    {"readv", KIND(RECEIVE), " readv "},
    {"recvfrom", KIND(RECEIVE), " recvfrom "},
    {"recvmsg", KIND(RECEIVE), " recvmsg "},
    {"recvmmsg", KIND(RECEIVE), " recvmmsg "},
    {"fsync", KIND(SYNC), " fsync "},
    {"fdatasync", KIND(SYNC), " fdatasync "},
    {"syncfs", KIND(SYNC_ALL), " syncfs "},
    {"sync_file_range", KIND(SYNC_RANGE), " sync_file_range "},
    {"msync", KIND(SYNC_MAP), " msync "},
    {"openat", KIND(CREATE) | KIND(TRUNCATE), " openat "},
    {"creat", KIND(CREATE) | KIND(TRUNCATE), " creat "},
    {"linkat", KIND(LINK), " linkat "},
    {"unlinkat", KIND(UNLINK), " unlinkat "},
    {"rmdir", KIND(UNLINK), " rmdir "},
    {"renameat", KIND(RENAME) | KIND(CARRY), " renameat "},
    {"renameat2", KIND(RENAME) | KIND(CARRY), " renameat2 "},
    {"ftruncate", KIND(TRUNCATE), " ftruncate "},
    {"fallocate", KIND(ALLOCATE), " fallocate "},
    {"bind", KIND(CREATE), " bind "},
};

const struct barrier_call *barrier_call_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    }
    return NULL;
}

static bool is_listed(const char *calls, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = calls; (at = strstr(at, name)) != NULL; at++) {
        if (at[-1] == ' ' && at[size] == ' ')
            return true;
    }
    return false;
}

bool barrier_call_fits(const struct barrier_call *call, const struct op *op)
{
    if (op->kind == OP_SEND && strcmp(call->name, op_call_name(op)) == 0)
        return true;
    if ((call->kinds & BARRIER_CALL_KIND(op->kind)) == 0)
        return false;
    return call->calls == NULL || is_listed(call->calls, op_call_name(op));
}

const char *barrier_call_families(void)
{
    return "write, send, receive, sync, open, create, mkdir, symlink, link, unlink, rename, "
           "truncate, allocate, chmod, chown, times, xattr, connect, accept, shutdown, lock, "
           "unlock, and single calls such as pwrite64 or fsync";
}
