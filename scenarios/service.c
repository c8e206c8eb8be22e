#include "service.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/clock.h"
#include "tracer/base/file.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { LOOK_MS = 2, STAT_MAX = 4096, ANSWER_MAX = 64, STAT_BEGAN = 20, HTTP_GRACE_MS = 1000 };

/* The start time stands in the twentieth field behind the program's name, which may hold anything
 * and ends at the last bracket. */
static uint64_t start_time(pid_t pid)
{
    char path[64];
    char *text OWN(own_mem) = NULL;
    size_t size = 0;
    struct err ignored = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!file_read(path, STAT_MAX, &text, &size, &ignored))
        return 0;
    const char *at = strrchr(text, ')');
    for (int field = 0; at && field < STAT_BEGAN; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

static bool is_running(pid_t pid)
{
    const int pidfd OWN(own_fd) = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd watched = {.fd = pidfd, .events = POLLIN};
    return pidfd >= 0 && poll(&watched, 1, 0) == 0;
}

bool service_is_alive(const struct service *service)
{
    return service->pid != 0 && is_running(service->pid) &&
           start_time(service->pid) == service->began;
}

/* -1: nobody listens. */
static int reach(uint16_t port)
{
    int fd OWN(own_fd) = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const void *generic = &address;
    if (fd < 0 || connect(fd, generic, sizeof address) != 0)
        return -1;
    return own_take_fd(&fd);
}

/* Whether it answers a request with one of 200 to 299. */
static bool answers(const struct plan_service *plan)
{
    const int fd OWN(own_fd) = reach(plan->port);
    char *request OWN(own_mem) =
        mem_format("GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", plan->path);
    char answer[ANSWER_MAX] = "";
    const size_t size = strlen(request);
    if (fd < 0 || send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size)
        return false;
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    if (poll(&watched, 1, HTTP_GRACE_MS) <= 0 || recv(fd, answer, sizeof answer - 1, 0) <= 0)
        return false;
    const char *code = strchr(answer, ' ');
    return strncmp(answer, "HTTP/", 5) == 0 && code && code[1] == '2';
}

/* A whole line that holds the text. */
static bool has_said(int log_fd, const char *wanted)
{
    struct ended_text log = {0};
    struct err ignored = {0};
    if (!ended_take_text(log_fd, &log, &ignored))
        return false;
    const char *at = strstr(log.bytes, wanted);
    const bool is_said = at && strchr(at, '\n');
    free(log.bytes);
    return is_said;
}

static bool is_ready(const struct service *service)
{
    switch (service->plan->ready) {
    case READY_AT_ONCE:
        return true;
    case READY_LINE:
        return has_said(service->log_fd, service->plan->line);
    case READY_PORT: {
        const int fd OWN(own_fd) = reach(service->plan->port);
        return fd >= 0;
    }
    case READY_HTTP:
        return answers(service->plan);
    }
    return false;
}

static bool never_ready(struct service *service, const char *why, struct err *err)
{
    struct ended_text log = {0};
    struct err ignored = {0};
    const char *said = ended_take_text(service->log_fd, &log, &ignored) ? log.bytes : "";
    err_usage(err, "service %s: %s; it said: %.200s", service->plan->name, why,
              *said ? said : "nothing");
    free(log.bytes);
    service_stop(service);
    return false;
}

static bool wait_ready(struct service *service, struct err *err)
{
    const int64_t deadline = clock_now() + service->plan->command.timeout_ns;
    const int pidfd OWN(own_fd) = (int)syscall(SYS_pidfd_open, service->pid, 0);
    while (!is_ready(service)) {
        struct pollfd watched = {.fd = pidfd, .events = POLLIN};
        if (poll(&watched, 1, LOOK_MS) > 0)
            return never_ready(service, "ended before it was ready", err);
        if (clock_left_ms(deadline) == 0)
            return never_ready(service, "is not ready in its time", err);
    }
    return service_is_alive(service) || never_ready(service, "ended before it was ready", err);
}

bool service_start(struct service *service, const struct plan_service *plan,
                   const struct child_options *options, struct err *err)
{
    int log_fd OWN(own_fd) = -1;
    pid_t pid = 0;
    if (!child_stream("log", &log_fd, err) || !child_start(options, log_fd, &pid, err))
        return err_while(err, "service");
    *service = (struct service){
        .plan = plan, .pid = pid, .began = start_time(pid), .log_fd = own_take_fd(&log_fd)};
    return wait_ready(service, err);
}

void service_stop(struct service *service)
{
    if (service->pid != 0) {
        kill(-service->pid, SIGKILL); /* its session */
        kill(service->pid, SIGKILL);
        while (waitpid(service->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        own_close_now(&service->log_fd);
    }
    *service = (struct service){.log_fd = -1};
}
