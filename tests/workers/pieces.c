/* Writes three records, each in two pieces that part inside its word, then syncs and promises it.
 * With an argument a process of its own does so for each record, one after the other. */
#include "worker.h"

static void put_one(int fd, long number)
{
    char text[64];
    const int size = sprintf(text, "%ld ACTION_CONFIRMED\n", number);
    put(fd, text, 10);
    put(fd, text + 10, size - 10);
    must(fsync(fd) == 0, "fsync");
    printf("done %ld\n", number);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    (void)argv;
    int fd = open("a.log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(fd >= 0, "a.log");
    for (long number = 1; number <= 3; number++) {
        if (argc == 1) {
            put_one(fd, number);
        } else if (fork() == 0) {
            put_one(fd, number);
            exit(0);
        } else {
            wait(NULL);
        }
    }
    return 0;
}
