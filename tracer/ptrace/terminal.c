#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

#include "tracer/base/own.h"

enum { PIECE = 4096 };

bool terminal_open(struct terminal *terminal, bool is_wanted, struct err *err)
{
    *terminal = (struct terminal){.worker_fd = -1, .our_fd = -1, .wake_fd = -1};
    if (!is_wanted)
        return true;
    char name[64];
    struct winsize size;
    int ours OWN(own_fd) = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ours == -1 || grantpt(ours) == -1 || unlockpt(ours) == -1 ||
        ptsname_r(ours, name, sizeof name) != 0)
        return err_system(err, "open a terminal for the worker");
    int worker OWN(own_fd) = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    int wake OWN(own_fd) = eventfd(0, EFD_CLOEXEC);
    if (worker == -1 || wake == -1)
        return err_system(err, "open a terminal for the worker");
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
        ioctl(ours, TIOCSWINSZ, &size);
    terminal->our_fd = own_take_fd(&ours);
    terminal->worker_fd = own_take_fd(&worker);
    terminal->wake_fd = own_take_fd(&wake);
    return true;
}

/* to: -1 throws the bytes away. */
static bool copy(int from, int to)
{
    char bytes[PIECE];
    const ssize_t got = read(from, bytes, sizeof bytes);
    for (ssize_t done = 0; to != -1 && done < got;) {
        const ssize_t sent = write(to, bytes + done, (size_t)(got - done));
        if (sent < 0 && errno != EINTR)
            return false;
        done += sent > 0 ? sent : 0;
    }
    return got > 0 || (got < 0 && errno == EINTR);
}

/* What the worker wrote last is copied before the end. */
static void drain(int fd, int to)
{
    struct pollfd left = {.fd = fd, .events = POLLIN};
    while (poll(&left, 1, 0) > 0 && (left.revents & POLLIN) != 0 && copy(fd, to))
        continue;
}

static void *pump(void *context)
{
    const struct terminal *terminal = context;
    const int to = terminal->is_silent ? -1 : STDOUT_FILENO;
    struct pollfd fds[3] = {{.fd = terminal->our_fd, .events = POLLIN},
                            {.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = terminal->wake_fd, .events = POLLIN}};
    for (;;) {
        if (poll(fds, 3, -1) == -1 && errno != EINTR)
            break;
        if ((fds[0].revents & POLLIN) != 0 && !copy(terminal->our_fd, to))
            break;
        if (fds[1].revents != 0 && !copy(STDIN_FILENO, terminal->our_fd)) {
            const char end = 4; /* ^D, as a user at the terminal would end it */
            const ssize_t sent = write(terminal->our_fd, &end, 1);
            (void)sent;
            fds[1].fd = -1;
        }
        if (fds[2].revents != 0)
            break;
    }
    drain(terminal->our_fd, to);
    return NULL;
}

static void make_raw(struct terminal *terminal)
{
    if (tcgetattr(STDIN_FILENO, &terminal->before) == -1)
        return;
    struct termios raw = terminal->before;
    cfmakeraw(&raw);
    terminal->is_raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

void terminal_pump(struct terminal *terminal)
{
    sigset_t all, before;
    if (terminal->our_fd == -1)
        return;
    make_raw(terminal);
    sigfillset(&all); /* signals are for the thread that waits for the worker */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    terminal->is_pumped = pthread_create(&terminal->thread, NULL, pump, terminal) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void terminal_close(struct terminal *terminal)
{
    if (terminal->is_pumped) {
        const uint64_t one = 1;
        const ssize_t sent = write(terminal->wake_fd, &one, sizeof one);
        (void)sent;
        pthread_join(terminal->thread, NULL);
    }
    if (terminal->is_raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
    own_close_now(&terminal->worker_fd);
    own_close_now(&terminal->our_fd);
    own_close_now(&terminal->wake_fd);
    terminal->is_pumped = false;
    terminal->is_raw = false;
}
