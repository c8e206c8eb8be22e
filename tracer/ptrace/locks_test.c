#include "locks.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "trial_test.h"

#define LIMIT .timeout = 120

enum { PROCESSES = 8, WAYS = 4 };

/* Eight processes that lock, see how long the file is, append their number, sync and give the lock
 * back; in four ways. */
static const char worker[] =
    "#include <fcntl.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/file.h>\n"
    "#include <sys/wait.h>\n#include <unistd.h>\n"
    "static void put(int way, int n) { int d = open(\"f\", O_CREAT | O_RDWR, 0644);\n"
    "struct flock l = {.l_type = F_WRLCK};\n"
    "if (way == 0) fcntl(d, F_SETLKW, &l); if (way == 1) fcntl(d, F_OFD_SETLKW, &l);\n"
    "if (way == 2) flock(d, LOCK_EX); if (way == 3 && lockf(d, F_TLOCK, 0) != 0) abort();\n"
    "char c = '0' + n; pwrite(d, &c, 1, lseek(d, 0, SEEK_END)); fsync(d); l.l_type = F_UNLCK;\n"
    "if (way == 0) fcntl(d, F_SETLK, &l); if (way == 1) close(d); if (way == 2) _exit(0);\n"
    "if (way == 3) execl(\"/bin/true\", \"true\", (char *)0); _exit(0); }\n"
    "int main(int argc, char **argv) { (void)argc; umask(0);\n"
    "for (int n = 0; n < atoi(argv[2]); n++) if (fork() == 0) put(atoi(argv[1]), n);\n"
    "while (wait(0) > 0) { } return 0; }\n";

static const uint32_t ORDERS[WAYS][PROCESSES] = {{7, 6, 5, 4, 3, 2, 1, 0},
                                                 {3, 1, 4, 0, 5, 7, 2, 6},
                                                 {0, 7, 1, 6, 2, 5, 3, 4},
                                                 {5, 0, 1, 2, 3, 4, 6, 7}};

static char *content(const struct trial *recording, const char *name)
{
    char *path OWN(own_mem) = mem_format("%s/%s", recording->workspace, name);
    char *text = mem_new(4096, 1);
    const int fd OWN(own_fd) = open(path, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0, "%s is not there", path);
    cr_assert_geq(read(fd, text, 4095), 0);
    return text;
}

/* Each lock is taken after the one before has been given back, and what is done under it lies in
 * between. */
static void expect_one_after_the_other(const struct trial *recording, int way)
{
    const struct trace *trace = &recording->trace;
    unsigned locked = 0, times = 0;
    for (uint32_t i = trace->initial; i < trace->count; i++) {
        const struct op *op = &trace->ops[i];
        locked += op->kind == OP_LOCK;
        times += op->kind == OP_LOCK;
        cr_expect_leq(locked, 1, "way %d: op %u", way, i);
        if (op->kind == OP_WRITE || op->kind == OP_SYNC)
            cr_expect_eq(locked, 1, "way %d: op %u is not under the lock", way, i);
        locked -= op->kind == OP_UNLOCK;
    }
    cr_expect_eq(locked, 0, "way %d", way);
    cr_expect_eq(times, PROCESSES, "way %d: %u", way, times);
}

Test(locks, processes_get_them_in_the_order_that_is_asked_for, LIMIT)
{
    for (int way = 0; way < WAYS; way++) {
        struct trial recording;
        const struct record_locks locks = {.order = ORDERS[way], .count = PROCESSES};
        trial_init(&recording, NULL);
        recording.options.locks = &locks;
        char *program OWN(own_mem) = trial_compile(&recording, worker);
        char *number OWN(own_mem) = mem_format("%d", way);
        const char *const argv[] = {program, number, "8", NULL};
        cr_assert(trial_run(&recording, argv), "%s", recording.err.text);
        cr_expect_eq(recording.end, RECORD_ENDED);
        char *text OWN(own_mem) = content(&recording, "f");
        for (int i = 0; i < PROCESSES; i++)
            cr_expect_eq(text[i], (char)('0' + ORDERS[way][i]), "way %d: %s", way, text);
        expect_one_after_the_other(&recording, way);
        trial_fini(&recording);
    }
}

Test(locks, a_lock_that_a_shell_takes_by_another_program_is_given_back_by_the_shell, LIMIT)
{
    static const uint32_t order[] = {2, 0, 1};
    struct trial recording;
    const struct record_locks locks = {.order = order, .count = 3};
    trial_init(&recording, NULL);
    recording.options.locks = &locks;
    cr_assert(trial_shell(&recording, "for n in 0 1 2; do (exec 9> l; flock 9; echo $n >> f) & "
                                      "done; wait"),
              "%s", recording.err.text);
    char *text OWN(own_mem) = content(&recording, "f");
    cr_expect_str_eq(text, "2\n0\n1\n");
    cr_expect_eq(trial_count(&recording, OP_LOCK), 3);
    cr_expect_eq(trial_count(&recording, OP_UNLOCK), 3);
    trial_fini(&recording);
}

Test(locks, who_takes_none_waits_at_another_call_until_all_have_come, LIMIT)
{
    static const uint32_t order[] = {2, 0, 1};
    struct trial recording;
    struct barrier write = {0};
    struct err err = {0};
    cr_assert(barrier_parse("write path=f", &write, &err));
    const struct record_locks locks = {.order = order, .count = 3, .also = &write};
    trial_init(&recording, "echo - > f");
    recording.options.locks = &locks;
    cr_assert(trial_shell(&recording,
                          "for n in 0 1 2; do (lines=$(wc -l < f); echo $n $lines >> f; "
                          "wc -l < f >> g) & done; wait"),
              "%s", recording.err.text);
    char *text OWN(own_mem) = content(&recording, "f");
    cr_expect_str_eq(text, "-\n2 1\n0 1\n1 1\n", "all read before anybody wrote: %s", text);
    char *seen OWN(own_mem) = content(&recording, "g");
    cr_expect_str_eq(seen, "2\n3\n4\n", "the next writes when the one before has ended: %s", seen);
    cr_expect_eq(trial_count(&recording, OP_LOCK), 0);
    barrier_fini(&write);
    trial_fini(&recording);
}

Test(locks, one_that_ends_without_a_lock_is_not_waited_for, LIMIT)
{
    static const uint32_t order[] = {1, 0, 2};
    struct trial recording;
    const struct record_locks locks = {.order = order, .count = 3};
    trial_init(&recording, NULL);
    recording.options.locks = &locks;
    cr_assert(trial_shell(&recording, "for n in 2 1 0; do ([ $n = 1 ] && exit; exec 9> l; "
                                      "flock 9; echo $n >> f) & done; wait"),
              "%s", recording.err.text);
    char *text OWN(own_mem) = content(&recording, "f");
    cr_expect_str_eq(text, "2\n0\n");
    trial_fini(&recording);
}

static const struct {
    uint32_t order[3], count;
    const char *command, *message;
} WRONG[] = {
    {{0, 1, 2},
     3,
     "flock l true & flock l true & wait",
     "the order of locks is for 3 processes; the worker started 2, and 2 of these"},
    {{0, 1, 2},
     2,
     "flock l true & flock l true & flock l true & wait",
     "the order of locks is for 2 processes, but the worker starts more"},
    {{0, 0, 2}, 3, "true", "the order of locks must name each of 0 to 2 once"},
    {{0, 3, 2}, 3, "true", "the order of locks must name each of 0 to 2 once"},
};

Test(locks, an_order_that_cannot_be_kept_is_an_error, LIMIT)
{
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        struct trial recording;
        const struct record_locks locks = {.order = WRONG[i].order, .count = WRONG[i].count};
        trial_init(&recording, "touch l");
        recording.options.locks = &locks;
        recording.options.timeout_ns = 1000000000;
        cr_expect_not(trial_shell(&recording, WRONG[i].command), "%s", WRONG[i].message);
        cr_expect_not_null(strstr(recording.err.text, WRONG[i].message), "%s", recording.err.text);
        cr_expect_eq(recording.err.kind, ERR_USAGE);
        trial_fini(&recording);
    }
}

Test(locks, nobody_is_stopped_at_a_lock_when_nobody_asks, LIMIT)
{
    struct trial recording;
    trial_init(&recording, NULL);
    cr_assert(trial_shell(&recording, "exec 9> l; flock 9; echo x >> f"), "%s", recording.err.text);
    cr_expect_eq(trial_count(&recording, OP_LOCK), 0);
    trial_fini(&recording);
}

Test(locks, a_barrier_can_stand_at_a_lock, LIMIT)
{
    static const char *const words[] = {"lock path=l nth=2", "lock path=l nth=2 where=after",
                                        "unlock path=l nth=2 where=after"};
    static const unsigned locked[] = {1, 2, 2};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct trial recording;
        struct barrier barrier;
        struct record_halted halted = {0};
        struct err err = {0};
        trial_init(&recording, NULL);
        cr_assert(barrier_parse(words[i], &barrier, &err));
        recording.options.barrier = &barrier;
        recording.options.halted = &halted;
        cr_assert(trial_shell(&recording, "exec 9> l; for n in 1 2 3; do flock 9; echo $n >> f;"
                                          "flock -u 9; done"),
                  "%s: %s", words[i], recording.err.text);
        cr_expect_eq(recording.end, RECORD_HALTED, "%s: %d", words[i], recording.end);
        cr_expect_eq(trial_count(&recording, OP_LOCK), locked[i], "%s", words[i]);
        char *text OWN(own_mem) = content(&recording, "f");
        cr_expect_str_eq(text, i < 2 ? "1\n" : "1\n2\n", "%s", words[i]);
        barrier_fini(&barrier);
        trial_fini(&recording);
    }
}
