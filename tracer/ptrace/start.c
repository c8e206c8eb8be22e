#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "filter.h"
#include "isolate.h"
#include "locks.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { EXIT_NOT_STARTED = 127 };

/* The child's ends of the two pipes between it and us. */
struct ends {
    int report; /* a struct err: empty when it is ready, filled when something failed */
    int go;     /* a byte when it is traced */
};

/* "K=V"; one without "=" is taken away. */
static void set_variable(const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    if (equals == NULL) {
        unsetenv(assignment);
        return;
    }
    char *name OWN(own_mem) = mem_range(assignment, (size_t)(equals - assignment));
    setenv(name, equals + 1, 1);
}

static void own_options(const char *const *environment)
{
    for (; environment != NULL && *environment != NULL; environment++)
        set_variable(*environment);
}

/* LeakSanitizer stops a program that is traced, and the worker would be blamed. */
static void forbid_leak_search(const char *name)
{
    const char *set = getenv(name);
    char *value OWN(own_mem) = mem_format("%s%sdetect_leaks=0", set == NULL ? "" : set,
                                          set == NULL || *set == '\0' ? "" : ":");
    setenv(name, value, 1);
}

static bool enter_terminal(int fd, struct err *err)
{
    if (setsid() == -1 || ioctl(fd, TIOCSCTTY, 0) == -1)
        return err_system(err, "take the terminal");
    for (int target = 0; target <= 2; target++) {
        if (dup2(fd, target) == -1)
            return err_system(err, "take the terminal");
    }
    return true;
}

static bool set_descriptors(const struct start_options *options, const struct start *start,
                            struct err *err)
{
    if (options->terminal_fd != -1)
        return enter_terminal(options->terminal_fd, err);
    const int input = options->record->stdin_fd;
    if (input >= 0 && dup2(input, 0) == -1)
        return err_system(err, "set the worker's stdin");
    if (!options->record->want_output &&
        (dup2(start->stdout_fd, 1) == -1 || dup2(start->stderr_fd, 2) == -1))
        return err_system(err, "set the worker's stdout");
    return true;
}

static bool prepare(const struct start_options *options, const struct start *start, struct err *err)
{
    const struct record_options *record = options->record;
    if (record->copy_fd >= 0) {
        if (!isolate_enter(ISOLATE_MOUNT, err) ||
            !isolate_bind(record->copy_fd, record->workspace, err))
            return false;
        /* New credentials make a process unreadable until it execs: it could not be traced. */
        prctl(PR_SET_DUMPABLE, 1);
    }
    if (chdir(record->workspace) == -1)
        return err_system(err, "enter the workspace %s", record->workspace);
    own_options(record->environment);
    forbid_leak_search("ASAN_OPTIONS");
    forbid_leak_search("LSAN_OPTIONS");
    return set_descriptors(options, start, err);
}

static void report(int fd, const struct err *err)
{
    const ssize_t sent = write(fd, err, sizeof *err);
    (void)sent; /* nobody is left to be told */
}

NORETURN static void child(const struct start_options *options, const struct start *start,
                           const struct ends *ends)
{
    struct err err = {0};
    char byte;
    const bool is_ready = prepare(options, start, &err);
    report(ends->report, &err);
    if (!is_ready || read(ends->go, &byte, 1) != 1)
        _exit(EXIT_NOT_STARTED);
    const unsigned sets = locks_are_wanted(options->record) ? FILTER_LOCKS : 0;
    if (filter_load(FILTER_MAIN | sets, &err)) {
        char **argv;
        memcpy(&argv, &options->record->argv, sizeof argv); /* exec does not change them */
        execvp(argv[0], argv);
        err_system(&err, "start %s", options->record->argv[0]);
        err.kind = ERR_USAGE;
    }
    report(ends->report, &err);
    _exit(EXIT_NOT_STARTED);
}

static bool read_report(int fd, struct err *out)
{
    ssize_t got;
    do {
        got = read(fd, out, sizeof *out);
    } while (got == -1 && errno == EINTR);
    return got == (ssize_t)sizeof *out;
}

bool start_failed(const struct start *start, struct err *err)
{
    struct err told = {0};
    if (!read_report(start->report_fd, &told) || told.kind == ERR_NONE)
        return err_usage(err, "the worker was ended before its program ran");
    *err = told;
    return false;
}

static void end_child(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) == -1 && errno == EINTR)
        continue;
}

static bool seize(pid_t pid, int go_fd, struct err *err)
{
    const unsigned long wanted = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
                                 PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                                 PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXIT;
    if (ptrace(PTRACE_SEIZE, pid, 0, wanted) == -1)
        return err_system(err, "trace the worker (ptrace is refused; see brink doctor)");
    if (write(go_fd, "g", 1) != 1)
        return err_system(err, "start the worker");
    return true;
}

static bool open_outputs(const struct start_options *options, struct start *start, struct err *err)
{
    const bool is_shown = options->record->want_output;
    for (int fd = 1; fd <= 2; fd++) {
        int ours;
        if (options->terminal_fd != -1) {
            ours = fcntl(options->terminal_fd, F_DUPFD_CLOEXEC, 3);
        } else {
            ours = is_shown ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : open("/dev/null", O_RDWR | O_CLOEXEC);
        }
        if (ours == -1 && errno != EBADF) /* a closed stdout is the caller's wish */
            return err_system(err, "open the worker's stdout");
        *(fd == 1 ? &start->stdout_fd : &start->stderr_fd) = ours;
    }
    return true;
}

bool start_worker(const struct start_options *options, struct start *out, struct err *err)
{
    struct start start = {.pid = -1, .report_fd = -1, .stdout_fd = -1, .stderr_fd = -1};
    int reports[2], go[2];
    if (!open_outputs(options, &start, err))
        return false;
    if (pipe2(reports, O_CLOEXEC) == -1)
        return err_system(err, "start the worker");
    start.report_fd = reports[0];
    int report_end OWN(own_fd) = reports[1];
    if (pipe2(go, O_CLOEXEC) == -1) {
        start_fini(&start);
        return err_system(err, "start the worker");
    }
    int go_read OWN(own_fd) = go[0];
    int go_write OWN(own_fd) = go[1];
    start.pid = fork();
    if (start.pid == -1) {
        start_fini(&start);
        return err_system(err, "start the worker");
    }
    if (start.pid == 0) {
        own_close_now(&go_write);
        const struct ends ends = {.report = report_end, .go = go_read};
        child(options, &start, &ends);
    }
    own_close_now(&report_end);
    struct err told = {0};
    if (!read_report(start.report_fd, &told) || told.kind != ERR_NONE) {
        end_child(start.pid);
        start_fini(&start);
        if (told.kind == ERR_NONE)
            return err_usage(err, "the worker was ended before its program ran");
        *err = told;
        return false;
    }
    if (!seize(start.pid, go_write, err)) {
        end_child(start.pid);
        start_fini(&start);
        return false;
    }
    *out = start;
    return true;
}

void start_fini(struct start *start)
{
    own_close_now(&start->report_fd);
    own_close_now(&start->stdout_fd);
    own_close_now(&start->stderr_fd);
}
