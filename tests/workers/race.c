/* Two threads, or processes, that never wait for each other: one appends records, the other talks.
 * A kill at a call of the one finds the other anywhere. usage: race threads|processes */
#include <pthread.h>

#include "worker.h"

enum { STEPS = 200 };

static void *append_records(void *log)
{
    for (long number = 1; number <= STEPS; number++) {
        put_record(*(int *)log, number);
    }
    return NULL;
}

static void *talk(void *unused)
{
    (void)unused;
    for (long number = 1; number <= STEPS; number++) {
        must(write(2, "going on\n", 9) == 9, "write");
    }
    return NULL;
}

static void in_threads(int log)
{
    pthread_t threads[2];
    must(pthread_create(&threads[0], NULL, append_records, &log) == 0, "create");
    must(pthread_create(&threads[1], NULL, talk, NULL) == 0, "create");
    for (int i = 0; i < 2; i++) {
        must(pthread_join(threads[i], NULL) == 0, "join");
    }
}

static void in_processes(int log)
{
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        append_records(&log);
        _exit(0);
    }
    talk(NULL);
    must(waitpid(child, NULL, 0) == child, "wait");
}

int main(int argc, char **argv)
{
    int log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(log >= 0, "open log");
    if (argc > 1 && strcmp(argv[1], "processes") == 0) {
        in_processes(log);
    } else {
        in_threads(log);
    }
    return 0;
}
