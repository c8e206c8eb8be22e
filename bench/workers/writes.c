/* writes N SIZE [threads] - N writes of SIZE bytes to the file `log`.
 *
 * `threads`: a second thread lives meanwhile and does nothing. A recorder must then watch where
 * each write ends as well, because the other thread might act in between. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "clock.h"

static void *idle(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    const long count = clock_number(argc, argv, 1, 200000);
    const size_t size = (size_t)clock_number(argc, argv, 2, 100);
    static char block[1 << 20];
    const int fd = open("log", O_CREAT | O_TRUNC | O_WRONLY, 0644);
    pthread_t thread;
    pthread_mutex_lock(&gate);
    if (size > sizeof block || fd < 0 ||
        (argc > 3 && pthread_create(&thread, NULL, idle, &gate) != 0))
        return 1;
    const int64_t began = clock_ns();
    for (long i = 0; i < count; i++) {
        if (write(fd, block, size) != (ssize_t)size)
            return 1;
    }
    const int status = clock_report(began);
    pthread_mutex_unlock(&gate);
    if (argc > 3)
        pthread_join(thread, NULL);
    close(fd);
    return status;
}
