#include "crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case_run.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/runner/temporary.h"

enum { CHUNK = 65536, TICK_MS = 100 };

/* One case that is running. */
struct member {
    pid_t pid; /* 0: none */
    size_t at; /* which case */
    int fd;    /* its report */
    char *folder;
    char *text;
    size_t size, capacity;
};

struct crew {
    const struct crew_options *options;
    struct case_result *results;
    struct member *members; /* one for each job */
    char *parent;           /* of the folders */
    size_t *order;          /* of starting: numbers of cases */
    size_t next;            /* in that order */
    size_t running;
};

static bool is_interrupted(const struct crew *crew)
{
    return crew->options->interrupted && *crew->options->interrupted;
}

/* In the new process: nothing of the other cases may stay open, or their ends would not be seen. */
NORETURN static void be_case(const struct crew *crew, const struct member *member, pid_t parent,
                             int report_fd, int keep_fd)
{
    for (uint32_t i = 0; i < crew->options->jobs; i++) {
        if (crew->members[i].pid != 0)
            close(crew->members[i].fd);
    }
    const struct case_options options = {
        .suite_case = &crew->options->suite->cases[member->at],
        .folder = member->folder,
        .want_isolation = crew->options->want_isolation,
        .want_children = crew->options->want_children,
        .keep_fd = keep_fd,
        .interrupted = crew->options->interrupted,
    };
    case_run(&options, parent, report_fd);
}

static bool start(struct crew *crew, struct member *member, struct err *err)
{
    int ends[2];
    member->at = crew->order[crew->next++];
    const struct suite_case *suite_case = &crew->options->suite->cases[member->at];
    if (!janitor_folder(crew->options->janitor, crew->parent, &member->folder, err))
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return err_system(err, "make a pipe");
    int read_end OWN(own_fd) = ends[0];
    const int write_end OWN(own_fd) = ends[1];
    const int keep_fd OWN(own_fd) =
        crew->options->keep ? crew->options->keep(crew->options->context, suite_case) : -1;
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0)
        return err_system(err, "start a case");
    if (pid == 0)
        be_case(crew, member, parent, write_end, keep_fd);
    member->pid = pid;
    member->fd = own_take_fd(&read_end);
    crew->running++;
    return true;
}

static void judge(struct case_result *result, const struct member *member, int status)
{
    json_error_t ignored;
    json_t *report = member->text ? json_loadb(member->text, member->size, 0, &ignored) : NULL;
    if (report) {
        case_result_judge(result, report);
        return;
    }
    char *why OWN(own_mem) =
        WIFSIGNALED(status)
            ? mem_format("the process of the case was ended by signal %d", WTERMSIG(status))
            : mem_format("the process of the case exited with %d", WEXITSTATUS(status));
    case_result_fail(result, why);
}

static bool finish(struct crew *crew, struct member *member, struct err *err)
{
    int status = 0;
    while (waitpid(member->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    struct case_result *result = &crew->results[member->at];
    if (!is_interrupted(crew)) {
        judge(result, member, status);
        crew->options->done(crew->options->context, result);
    }
    const bool is_done = janitor_remove(crew->options->janitor, member->folder, err);
    own_close_now(&member->fd);
    free(member->folder);
    free(member->text);
    *member = (struct member){.fd = -1};
    crew->running--;
    return is_done;
}

/* Takes what has come; false at the end. */
static bool receive(struct member *member)
{
    mem_grow(&member->text, &member->capacity, member->size + CHUNK, 1);
    const ssize_t got = read(member->fd, member->text + member->size, CHUNK);
    member->size += got > 0 ? (size_t)got : 0;
    return got > 0 || (got < 0 && errno == EINTR);
}

static bool fill(struct crew *crew, struct err *err)
{
    for (uint32_t i = 0; i < crew->options->jobs; i++) {
        if (crew->next >= crew->options->suite->count || is_interrupted(crew))
            return true;
        if (crew->members[i].pid == 0 && !start(crew, &crew->members[i], err))
            return false;
    }
    return true;
}

static bool listen_once(struct crew *crew, struct pollfd *fds, struct err *err)
{
    const uint32_t jobs = crew->options->jobs;
    for (uint32_t i = 0; i < jobs; i++)
        fds[i] = (struct pollfd){.fd = crew->members[i].fd, .events = POLLIN};
    if (poll(fds, jobs, TICK_MS) <= 0)
        return true;
    for (uint32_t i = 0; i < jobs; i++) {
        struct member *member = &crew->members[i];
        if (fds[i].revents && !receive(member) && !finish(crew, member, err))
            return false;
    }
    return true;
}

/* Without namespaces it ends its programs itself, when told; with them they end with it. */
static void stop_all(struct crew *crew)
{
    const int signo = crew->options->want_isolation ? SIGKILL : SIGTERM;
    for (uint32_t i = 0; i < crew->options->jobs; i++) {
        if (crew->members[i].pid != 0)
            kill(crew->members[i].pid, signo);
    }
}

static void clear(struct crew *crew)
{
    struct err ignored = {0};
    stop_all(crew);
    for (uint32_t i = 0; i < crew->options->jobs; i++) {
        struct member *member = &crew->members[i];
        while (member->pid != 0 && receive(member))
            continue;
        if (member->pid == 0) {
            free(member->folder);
        } else if (!finish(crew, member, &ignored)) {
            ignored = (struct err){0}; /* the janitor removes the folder at the end */
        }
    }
    free(crew->members);
    free(crew->parent);
    free(crew->order);
}

static int compare_runs(const void *a, const void *b, void *context)
{
    const struct suite *suite = context;
    const size_t first = *(const size_t *)a;
    const size_t second = *(const size_t *)b;
    const size_t first_runs = suite->cases[first].runs;
    const size_t second_runs = suite->cases[second].runs;
    if (first_runs != second_runs)
        return first_runs > second_runs ? -1 : 1;
    return first < second ? -1 : 1;
}

/* Long cases first: one that is begun last would keep a single processor busy at the end. */
static size_t *order_of(const struct suite *suite)
{
    size_t *order = mem_new(suite->count + 1, sizeof *order);
    struct suite copy = *suite;
    for (size_t i = 0; i < suite->count; i++)
        order[i] = i;
    qsort_r(order, suite->count, sizeof *order, compare_runs, &copy);
    return order;
}

bool crew_run(const struct crew_options *options, struct case_result *results, struct err *err)
{
    struct crew crew = {.options = options, .results = results};
    struct pollfd *fds OWN(own_mem) = mem_new(options->jobs, sizeof *fds);
    crew.order = order_of(options->suite);
    crew.members = mem_new(options->jobs, sizeof *crew.members);
    for (uint32_t i = 0; i < options->jobs; i++)
        crew.members[i].fd = -1;
    for (size_t i = 0; i < options->suite->count; i++)
        results[i].name = options->suite->cases[i].name;
    bool is_done = temporary_parent(NULL, &crew.parent, err) && fill(&crew, err);
    while (is_done && crew.running > 0 && !is_interrupted(&crew))
        is_done = listen_once(&crew, fds, err) && fill(&crew, err);
    clear(&crew);
    return is_done;
}
