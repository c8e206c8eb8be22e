#include "pump.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/own.h"

enum { PIECE_SIZE = 65536 };

/* Waits until fd can be read or written; false: the pump is to end. */
static bool wait_for(int fd, short events, int control)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = fd, .events = events}, {.fd = control, .events = POLLIN}};
        const int ready = poll(fds, 2, -1);
        if (ready < 0 && errno != EINTR)
            return false;
        if (ready <= 0)
            continue;
        if (fds[1].revents)
            return false;
        if (events == POLLOUT && (fds[0].revents & POLLERR))
            return false; /* nobody reads any more */
        if (fds[0].revents)
            return true;
    }
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t done = write(fd, bytes, size);
        if (done < 0 && errno != EINTR)
            return false;
        bytes += done < 0 ? 0 : done;
        size -= done < 0 ? 0 : (size_t)done;
    }
    return true;
}

/* Into a pipe that blocks only in poll, where the end can be told too. */
static bool pass_on(const struct pump_pipes *pipes, const char *bytes, size_t size, int control)
{
    while (size > 0) {
        if (!wait_for(pipes->to, POLLOUT, control))
            return false;
        const ssize_t done = write(pipes->to, bytes, size);
        if (done < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        bytes += done < 0 ? 0 : done;
        size -= done < 0 ? 0 : (size_t)done;
    }
    return true;
}

static bool carry(const struct pump_pipes *pipes, int control)
{
    char piece[PIECE_SIZE];
    if (!wait_for(pipes->from, POLLIN, control))
        return false;
    const ssize_t got = read(pipes->from, piece, sizeof piece);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    if (got == 0)
        return false;
    if (pipes->copy_to >= 0 && !write_all(pipes->copy_to, piece, (size_t)got))
        return false;
    return pass_on(pipes, piece, (size_t)got, control);
}

/* Nothing else of brink's is kept open: others wait for the ends of their pipes. */
static void keep_only(struct pump_pipes *pipes, int *control, int *done)
{
    enum { FROM = 3, TO, COPY, CONTROL, DONE, REST, HIGH = 100 };
    const int wanted[] = {pipes->from, pipes->to, pipes->copy_to, *control, *done};
    int high[5];
    for (int i = 0; i < 5; i++)
        high[i] = wanted[i] < 0 ? -1 : fcntl(wanted[i], F_DUPFD, HIGH);
    for (int i = 0; i < 5; i++) {
        if (high[i] >= 0)
            dup2(high[i], FROM + i);
    }
    const int null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    *pipes = (struct pump_pipes){FROM, TO, pipes->copy_to < 0 ? -1 : COPY};
    if (pipes->copy_to < 0)
        close(COPY);
    *control = CONTROL;
    *done = DONE;
    close_range(REST, ~0U, 0);
}

NORETURN static void be_pump(struct pump_pipes pipes, int control, int done)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    setsid();
    sigaction(SIGPIPE, &ignore, NULL);
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGTERM, &ignore, NULL);
    keep_only(&pipes, &control, &done);
    fcntl(pipes.to, F_SETFL, O_NONBLOCK);
    while (carry(&pipes, control))
        continue;
    _exit(0);
}

bool pump_start(const struct pump_pipes *pipes, struct pump *out, struct err *err)
{
    int control[2] = {-1, -1};
    int done[2] = {-1, -1};
    if (pipe2(control, O_CLOEXEC) < 0)
        return err_system(err, "make a pipe");
    const int control_read OWN(own_fd) = control[0];
    int control_write OWN(own_fd) = control[1];
    if (pipe2(done, O_CLOEXEC) < 0)
        return err_system(err, "make a pipe");
    int done_read OWN(own_fd) = done[0];
    const int done_write OWN(own_fd) = done[1];
    const pid_t child = fork();
    if (child < 0)
        return err_system(err, "start a process for stdin");
    if (child == 0) {
        if (fork() == 0)
            be_pump(*pipes, control_read, done_write);
        _exit(0);
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    *out = (struct pump){own_take_fd(&control_write), own_take_fd(&done_read)};
    return true;
}

void pump_end(struct pump *pump)
{
    char byte;
    own_close_now(&pump->control);
    while (pump->done >= 0 && read(pump->done, &byte, 1) < 0 && errno == EINTR)
        continue;
    own_close_now(&pump->done);
}
