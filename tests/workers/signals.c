/* Appends records while signals arrive. Started as: signals restart|interrupt|stop. A read waits
 * for a child that signals it (or stops and continues it) first and only then writes: the read is
 * restarted by the kernel, or by this program. No fault. */
#include <errno.h>
#include <signal.h>

#include "worker.h"

static volatile sig_atomic_t arrived;

static void on_signal(int number)
{
    (void)number;
    arrived++;
}

/* Waits until the parent sleeps in its read, so that the signal finds it there. */
static void child(pid_t parent, bool stop, int out)
{
    if (stop) {
        kill(parent, SIGSTOP);
        kill(parent, SIGCONT);
    } else {
        char path[64];
        char state = 'R';
        snprintf(path, sizeof path, "/proc/%d/stat", parent);
        for (int tries = 0; tries < 100000 && state != 'S'; tries++) {
            FILE *stat = fopen(path, "r");
            must(stat && fscanf(stat, "%*d (%*[^)]) %c", &state) == 1, path);
            fclose(stat);
        }
        kill(parent, SIGUSR1);
    }
    put(out, "x", 1);
    _exit(0);
}

static void await(int fd, bool restarts)
{
    char byte;
    ssize_t got = read(fd, &byte, 1);
    while (got < 0 && errno == EINTR) {
        must(!restarts, "a read with SA_RESTART was interrupted");
        got = read(fd, &byte, 1);
    }
    must(got == 1, "read");
}

int main(int argc, char **argv)
{
    must(argc > 1, "usage: signals restart|interrupt|stop");
    bool restarts = strcmp(argv[1], "interrupt") != 0;
    bool stop = strcmp(argv[1], "stop") == 0;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = restarts ? SA_RESTART : 0};
    sigaction(SIGUSR1, &action, NULL);
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(fd >= 0, "log");
    for (long number = 1; number <= 4; number++) {
        int ends[2];
        must(pipe(ends) == 0, "pipe");
        pid_t self = getpid();
        pid_t pid = fork();
        if (pid == 0) {
            child(self, stop, ends[1]);
        }
        await(ends[0], restarts);
        int status;
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        }
        close(ends[0]);
        close(ends[1]);
        put_record(fd, number);
        must(fsync(fd) == 0, "fsync");
        promise(number);
    }
    return !stop && arrived != 4;
}
