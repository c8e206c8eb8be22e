/* spawnloop N JOBS PROGRAM [ARG...] - starts the program N times, JOBS at a time, and waits for
 * each: what it costs at the least to try N states. Prints the nanoseconds for each start. */
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

static bool start(char **argv)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    const int reason = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return reason == 0;
}

int main(int argc, char **argv)
{
    const long count = clock_number(argc, argv, 1, 1000);
    const long jobs = clock_number(argc, argv, 2, 1);
    if (argc < 4)
        return 2;
    long running = 0;
    const int64_t began = clock_ns();
    for (long i = 0; i < count; i++) {
        if (running == jobs) {
            wait(NULL);
            running--;
        }
        if (!start(argv + 3))
            return 1;
        running++;
    }
    while (wait(NULL) > 0)
        continue;
    printf("%lld\n", (long long)((clock_ns() - began) / count));
    return 0;
}
