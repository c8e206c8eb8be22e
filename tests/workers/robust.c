/* Two numbers in a mapped file that are equal whenever nobody holds the lock beside them. Started
 * as: robust good|bad WAY, or robust check, which takes the lock over from whoever died with it.
 * Fault: the lock of bad is not robust, so that nobody ever learns of its holder's death.
 * Ways: one thread; a thread that holds it while another writes, in turn or in a race; a holder
 * that ends with it: the worker itself, one of its threads, a child, an exec; one that unmaps it
 * while it holds it. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "worker.h"

enum { STEPS = 3, TABLE_SIZE = 16384 };

/* All of it within one sector. */
struct table {
    pthread_mutex_t lock;
    long is_made;
    volatile long one, two;
};

static struct table *table;
static int notes;
static pthread_barrier_t turn;
static bool is_waiting; /* the holder, while the other promises */

static void make_lock(bool good)
{
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
    if (good) {
        pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    }
    must(pthread_mutex_init(&table->lock, &how) == 0, "lock");
    table->is_made = 1;
}

static void open_table(void)
{
    int fd = open("table", O_RDWR);
    must(fd >= 0, "table");
    table = mmap(NULL, TABLE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(table != MAP_FAILED, "mmap");
    close(fd);
    notes = open("notes", O_WRONLY | O_CREAT | O_APPEND, 0644);
    must(notes >= 0, "notes");
}

static void take_over(int code)
{
    if (code == EOWNERDEAD) {
        table->two = table->one;
        code = pthread_mutex_consistent(&table->lock);
    }
    errno = code;
    must(code == 0, "take the lock");
}

static void begin(long number)
{
    take_over(pthread_mutex_lock(&table->lock));
    table->one = number;
}

static void end(long number)
{
    table->two = number;
    must(pthread_mutex_unlock(&table->lock) == 0, "unlock");
}

static void step(long number)
{
    begin(number);
    put_record(notes, number);
    end(number);
    promise(number);
}

static void steps(void)
{
    for (long number = table->one + 1; number <= STEPS; number++) {
        step(number);
    }
}

static void *hold_while_other_writes(void *nothing)
{
    for (long number = 1; number <= STEPS; number++) {
        begin(number);
        pthread_barrier_wait(&turn);
        pthread_barrier_wait(&turn);
        end(number);
        pthread_barrier_wait(&turn);
        if (is_waiting) {
            pthread_barrier_wait(&turn);
        }
    }
    return nothing;
}

static void two_threads(bool in_turn)
{
    is_waiting = in_turn;
    pthread_t holder;
    pthread_barrier_init(&turn, NULL, 2);
    must(pthread_create(&holder, NULL, hold_while_other_writes, NULL) == 0, "thread");
    for (long number = 1; number <= STEPS; number++) {
        pthread_barrier_wait(&turn);
        put_record(notes, number);
        pthread_barrier_wait(&turn);
        pthread_barrier_wait(&turn);
        promise(number);
        if (in_turn) {
            pthread_barrier_wait(&turn);
        }
    }
    pthread_join(holder, NULL);
}

static void *keep(void *nothing)
{
    begin(1);
    put_record(notes, 1);
    return nothing;
}

static void end_of_thread(void)
{
    pthread_t holder;
    must(pthread_create(&holder, NULL, keep, NULL) == 0, "thread");
    pthread_join(holder, NULL);
    steps();
}

static void end_of_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        keep(NULL);
        _exit(0);
    }
    must(child > 0 && waitpid(child, NULL, 0) == child, "child");
    steps();
}

static void go(const char *way, char **argv)
{
    if (strcmp(way, "one") == 0) {
        steps();
    } else if (strcmp(way, "threads") == 0) {
        two_threads(true);
    } else if (strcmp(way, "race") == 0) {
        two_threads(false);
    } else if (strcmp(way, "thread-ends") == 0) {
        end_of_thread();
    } else if (strcmp(way, "child-ends") == 0) {
        end_of_child();
    } else if (strcmp(way, "ends") == 0) {
        keep(NULL);
        _exit(0);
    } else if (strcmp(way, "execs") == 0) {
        keep(NULL);
        execl(argv[0], argv[0], "good", "one", NULL);
        must(false, "exec");
    } else {
        must(strcmp(way, "unmaps") == 0, "unknown way");
        keep(NULL);
        must(munmap(table, TABLE_SIZE) == 0, "munmap");
        put_record(notes, 2);
    }
}

static int check(void)
{
    struct timespec soon;
    uint32_t word;
    memcpy(&word, &table->lock, sizeof word);
    bool is_dead = (word & FUTEX_OWNER_DIED) != 0;
    if (!is_dead && (word & FUTEX_TID_MASK) != 0) {
        fprintf(stderr, "the lock is held by nobody: %#x\n", word);
        return 1;
    }
    if (is_dead != (table->one != table->two) && table->one == table->two + 1) {
        fprintf(stderr, "numbers %ld and %ld, lock %#x\n", table->one, table->two, word);
        return 1;
    }
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    int code = pthread_mutex_timedlock(&table->lock, &soon);
    if (code != (is_dead ? EOWNERDEAD : 0)) {
        fprintf(stderr, "the lock %#x gives %s\n", word, strerror(code));
        return 1;
    }
    take_over(code);
    return table->one == table->two && table->one >= promised() ? 0 : 1;
}

int main(int argc, char **argv)
{
    open_table();
    if (argc > 1 && strcmp(argv[1], "check") == 0) {
        return check();
    }
    bool good = is_good(argc, argv);
    must(argc > 2, "usage: robust good|bad WAY");
    if (!table->is_made) {
        make_lock(good);
    }
    go(argv[2], argv);
    return 0;
}
