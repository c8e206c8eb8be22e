#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call.h"
#include "inject.h"
#include "memory.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static const int SOCKET_CALLS[] = {SYS_read,        SYS_readv,   SYS_preadv,   SYS_preadv2,
                                   SYS_recvfrom,    SYS_recvmsg, SYS_recvmmsg, SYS_close,
                                   SYS_close_range, SYS_dup2,    SYS_dup3};
static const int LOCK_CALLS[] = {SYS_fcntl,       SYS_flock, SYS_close,
                                 SYS_close_range, SYS_dup2,  SYS_dup3};
static const int MAPPING_CALLS[] = {SYS_munmap, SYS_mremap, SYS_msync, SYS_execve, SYS_execveat};

/* Calls that matter only with certain bits in an argument. Several lines for one call: any. */
struct condition {
    int nr;
    unsigned argument;
    uint64_t mask, value;
};
enum { TMPFILE_BIT = 020000000, SHARED_BIT = 1 };
static const struct condition CONDITIONS[] = {
    {SYS_open, 1, O_CREAT, O_CREAT},
    {SYS_open, 1, O_TRUNC, O_TRUNC},
    {SYS_open, 1, TMPFILE_BIT, TMPFILE_BIT},
    {SYS_openat, 2, O_CREAT, O_CREAT},
    {SYS_openat, 2, O_TRUNC, O_TRUNC},
    {SYS_openat, 2, TMPFILE_BIT, TMPFILE_BIT},
    {SYS_open_by_handle_at, 2, O_TRUNC, O_TRUNC},
    {SYS_ioctl, 1, UINT32_MAX, FICLONE},
    {SYS_ioctl, 1, UINT32_MAX, FICLONERANGE},
    {SYS_mmap, 3, SHARED_BIT | MAP_ANONYMOUS, SHARED_BIT},
    {SYS_fcntl, 1, UINT32_MAX, F_SETLK},
    {SYS_fcntl, 1, UINT32_MAX, F_SETLKW},
    {SYS_fcntl, 1, UINT32_MAX, F_OFD_SETLK},
    {SYS_fcntl, 1, UINT32_MAX, F_OFD_SETLKW},
    {SYS_clone, 0, CLONE_UNTRACED, CLONE_UNTRACED},
};

static bool is_in(const int *list, size_t count, int nr)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == nr)
            return true;
    }
    return false;
}

/* A call may be in several. */
static unsigned sets_of(int nr)
{
    unsigned sets = 0;
    if (is_in(SOCKET_CALLS, sizeof SOCKET_CALLS / sizeof *SOCKET_CALLS, nr))
        sets |= FILTER_SOCKETS;
    if (is_in(MAPPING_CALLS, sizeof MAPPING_CALLS / sizeof *MAPPING_CALLS, nr))
        sets |= FILTER_MAPPINGS;
    if (is_in(LOCK_CALLS, sizeof LOCK_CALLS / sizeof *LOCK_CALLS, nr))
        sets |= FILTER_LOCKS;
    return sets != 0 ? sets : FILTER_MAIN;
}

static int add_call(scmp_filter_ctx filter, int nr)
{
    const uint32_t action = SCMP_ACT_TRACE(FILTER_CALL);
    bool is_conditional = false;
    for (size_t i = 0; i < sizeof CONDITIONS / sizeof *CONDITIONS; i++) {
        const struct condition *condition = &CONDITIONS[i];
        if (condition->nr != nr)
            continue;
        is_conditional = true;
        const struct scmp_arg_cmp compare = {.arg = condition->argument,
                                             .op = SCMP_CMP_MASKED_EQ,
                                             .datum_a = condition->mask,
                                             .datum_b = condition->value};
        const int failed = seccomp_rule_add_array(filter, action, nr, 1, &compare);
        if (failed != 0)
            return failed;
    }
    return is_conditional ? 0 : seccomp_rule_add_array(filter, action, nr, 0, NULL);
}

/* A new mapping, of whatever, may take the place of a shared one. */
static int add_replacing(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp compare = {
        .arg = 3, .op = SCMP_CMP_MASKED_EQ, .datum_a = MAP_FIXED, .datum_b = MAP_FIXED};
    return seccomp_rule_add_array(filter, SCMP_ACT_TRACE(FILTER_CALL), SYS_mmap, 1, &compare);
}

/* NULL and *err when libseccomp refuses. The caller releases it. */
static scmp_filter_ctx build(unsigned sets, struct err *err)
{
    size_t count;
    const struct call_handler *calls = call_table(&count);
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    if (filter == NULL) {
        errno = ENOMEM;
        err_system(err, "make the filter of system calls");
        return NULL;
    }
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_TRACE(FILTER_FOREIGN));
    if (failed == 0) /* a tree of comparisons, not a list */
        failed = seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (size_t i = 0; failed == 0 && i < count; i++) {
        if ((sets_of(calls[i].nr) & sets) != 0)
            failed = add_call(filter, calls[i].nr);
    }
    if (failed == 0 && (sets & FILTER_MAPPINGS) != 0)
        failed = add_replacing(filter);
    if (failed == 0)
        return filter;
    seccomp_release(filter);
    errno = -failed;
    err_system(err, "make the filter of system calls");
    return NULL;
}

/* The right to load a filter: CAP_SYS_ADMIN, or no_new_privs. */
static bool has_right(void)
{
    /* The kernel checks the right after the header and before the program, which is not there. */
    const struct sock_fprog nothing = {.len = 1};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &nothing) == -1 && errno == EFAULT;
}

bool filter_load(unsigned sets, struct err *err)
{
    scmp_filter_ctx filter = build(sets, err);
    if (filter == NULL)
        return false;
    const bool wants_no_new_privs = geteuid() != 0 || !has_right();
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, wants_no_new_privs);
    if (failed == 0)
        failed = seccomp_load(filter);
    seccomp_release(filter);
    errno = -failed;
    return failed == 0 || err_system(err, "load the filter of system calls");
}

/* The set as the program that the kernel takes. Caller frees *out. */
static bool compile(enum filter_set set, struct sock_filter **out, size_t *count, struct err *err)
{
    int fd OWN(own_fd) = memfd_create("filter", MFD_CLOEXEC);
    if (fd == -1)
        return err_system(err, "make the filter of system calls");
    scmp_filter_ctx filter = build(set, err);
    if (filter == NULL)
        return false;
    const int failed = seccomp_export_bpf(filter, fd);
    seccomp_release(filter);
    struct stat facts;
    if (failed != 0 || fstat(fd, &facts) == -1) {
        errno = failed != 0 ? -failed : errno;
        return err_system(err, "make the filter of system calls");
    }
    struct sock_filter *program = mem_new((size_t)facts.st_size, 1);
    if (pread(fd, program, (size_t)facts.st_size, 0) != facts.st_size) {
        free(program);
        return err_system(err, "make the filter of system calls");
    }
    *out = program;
    *count = (size_t)facts.st_size / sizeof *program;
    return true;
}

/* Room in the worker for the program, behind its header. It is a page of its own, for neither heap
 * nor stack can be borrowed while other threads run; it stays, for taking it away may be a call
 * that the filter stops. */
static bool place_program(pid_t tid, const struct sock_filter *program, size_t count, long *place,
                          struct err *err)
{
    const size_t size = sizeof(struct sock_fprog) + count * sizeof *program;
    const unsigned long args[6] = {
        0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, (unsigned long)-1, 0};
    if (!inject_call(tid, SYS_mmap, args, place, err))
        return false;
    if (*place < 0 && *place > -4096) {
        errno = (int)-*place;
        return err_system(err, "get a page inside the worker for a filter");
    }
    const uint64_t at = (uint64_t)*place;
    const uint64_t body = at + sizeof(struct sock_fprog);
    struct sock_fprog header = {.len = (unsigned short)count};
    memcpy(&header.filter, &body, sizeof body);
    if (!memory_write_all(tid, at, &header, sizeof header) ||
        !memory_write_all(tid, body, program, count * sizeof *program))
        return err_system(err, "write a filter into the worker");
    return true;
}

bool filter_inject(enum filter_set set, pid_t tid, struct err *err)
{
    struct sock_filter *program OWN(own_mem) = NULL;
    size_t count = 0;
    long place, result;
    if (!compile(set, &program, &count, err) || !place_program(tid, program, count, &place, err))
        return false;
    const unsigned long load[6] = {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
                                   (unsigned long)place};
    if (!inject_call(tid, SYS_seccomp, load, &result, err))
        return false;
    if (result == -EACCES) { /* a worker that has given up the rights of root */
        const unsigned long promise[6] = {PR_SET_NO_NEW_PRIVS, 1};
        if (!inject_call(tid, SYS_prctl, promise, &result, err) ||
            !inject_call(tid, SYS_seccomp, load, &result, err))
            return false;
    }
    if (result == 0)
        return true;
    errno = result < 0 ? (int)-result : ESRCH;
    return err_system(err, "put a further filter of system calls into the worker");
}
