/* One thread writes and syncs records, another promises them. Fault: promises what has only been
 * handed to the other thread. */
#include <pthread.h>

#include "worker.h"

enum { RECORDS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long promised_up_to, saved_up_to;
static bool good;

static void set(long *which, long value)
{
    pthread_mutex_lock(&lock);
    *which = value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for(long *which, long value)
{
    pthread_mutex_lock(&lock);
    while (*which < value) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *save_records(void *log)
{
    int fd = *(int *)log;
    for (long number = 1; number <= RECORDS; number++) {
        if (!good) {
            wait_for(&promised_up_to, number); // makes the gap certain
        }
        put_record(fd, number);
        must(fsync(fd) == 0, "fsync");
        set(&saved_up_to, number);
    }
    return NULL;
}

static void *promise_records(void *unused)
{
    (void)unused;
    for (long number = 1; number <= RECORDS; number++) {
        if (good) {
            wait_for(&saved_up_to, number);
        }
        promise(number);
        set(&promised_up_to, number);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    good = is_good(argc, argv);
    int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(fd >= 0, "log");
    pthread_t saver;
    pthread_t promiser;
    pthread_create(&saver, NULL, save_records, &fd);
    pthread_create(&promiser, NULL, promise_records, NULL);
    pthread_join(saver, NULL);
    pthread_join(promiser, NULL);
    return 0;
}
