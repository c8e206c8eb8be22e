/* A child saves a record, its parent promises it. Started as: children good|bad fork|vfork|spawn.
 * Fault: the parent does not wait for the child. */
#include <spawn.h>

#include "worker.h"

extern char **environ;

static void save_record(long number)
{
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(fd >= 0, "log");
    put_record(fd, number);
    must(fsync(fd) == 0, "fsync");
}

/* The child saves when the other end of its standard input is closed: the gap is certain. */
static int child(const char *number)
{
    char byte;
    must(read(STDIN_FILENO, &byte, 1) == 0, "read");
    save_record(strtol(number, NULL, 10));
    return 0;
}

static pid_t start(const char *how, char *self, char *number, const int *ends)
{
    char *argv[] = {self, "child", number, NULL};
    pid_t pid = -1;
    if (strcmp(how, "spawn") == 0) {
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
        must(posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ) == 0, "spawn");
        posix_spawn_file_actions_destroy(&actions);
        return pid;
    }
    if (strcmp(how, "fork") == 0) {
        pid = fork();
        if (pid == 0) {
            close(ends[1]);
            dup2(ends[0], STDIN_FILENO);
            _exit(child(number));
        }
        return pid;
    }
    pid = vfork();
    if (pid == 0) {
        dup2(ends[0], STDIN_FILENO);
        execv("/proc/self/exe", argv);
        _exit(1);
    }
    return pid;
}

int main(int argc, char **argv)
{
    must(argc > 2, "usage: children good|bad fork|vfork|spawn");
    if (strcmp(argv[1], "child") == 0) {
        return child(argv[2]);
    }
    bool good = is_good(argc, argv);
    for (long number = 1; number <= 3; number++) {
        int ends[2];
        must(pipe2(ends, O_CLOEXEC) == 0, "pipe");
        char text[16];
        snprintf(text, sizeof text, "%ld", number);
        pid_t pid = start(argv[2], argv[0], text, ends);
        must(pid > 0, "child");
        close(ends[0]);
        if (!good) {
            promise(number);
        }
        close(ends[1]);
        int status;
        must(waitpid(pid, &status, 0) == pid && status == 0, "wait");
        if (good) {
            promise(number);
        }
    }
    return 0;
}
