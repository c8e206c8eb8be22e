/* Robust mutexes of real workers, against what the kernel makes of them. */
#include "robust.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/robust_place.h"
#include "trial_test.h"

TestSuite(robust, .timeout = 60);

#define WORKER                                                                                     \
    "#include <fcntl.h>\n#include <pthread.h>\n#include <sys/mman.h>\n#include <sys/wait.h>\n"     \
    "#include <unistd.h>\n"                                                                        \
    "pthread_mutex_t *m; int f;\n"                                                                 \
    "void op(void) { pwrite(f, \"x\", 1, 5000); }\n"                                               \
    "void *hold(void *p) { pthread_mutex_lock(m + 1); op(); return p; }\n"                         \
    "int main(int argc, char **argv) { pthread_mutexattr_t a; pthread_t t;\n"                      \
    "if (argc > 1) return 0;\n"                                                                    \
    "f = open(\"m\", O_CREAT | O_RDWR, 0644); ftruncate(f, 8192);\n"                               \
    "m = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);\n"                               \
    "pthread_mutexattr_init(&a); pthread_mutexattr_setpshared(&a, 1);\n"                           \
    "KIND; for (int i = 0; i < 3; i++) pthread_mutex_init(m + i, &a);\n"
#define ROBUST "pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST)"

enum { MUTEX_SIZE = 40 };

/* The text is C; `kind` sets the attributes of the mutexes m[0], m[1] and m[2]. */
static void run(struct trial *trial, const char *kind, const char *body)
{
    char *source OWN(own_mem) = mem_format("#define KIND %s\n" WORKER "%s }\n", kind, body);
    trial_init(trial, NULL);
    char *program OWN(own_mem) = trial_compile(trial, source);
    const char *const argv[] = {program, NULL};
    cr_assert(trial_run(trial, argv), "%s", trial->err.text);
    cr_expect_eq(trial->trace.about.wait_status, 0);
    char *difference OWN(own_mem) = trial_difference(trial, trial->trace.count, 0);
    cr_expect_null(difference, "%s: %s", body, difference);
}

static void expect_places(const char *kind, const char *body, uint32_t places)
{
    struct trial trial;
    run(&trial, kind, body);
    cr_expect_eq(trial.trace.robust_count, places, "%s: %u places", body, trial.trace.robust_count);
    trial_fini(&trial);
}

Test(robust, a_mutex_held_over_an_op_is_a_place_with_its_holder)
{
    struct trial trial;
    run(&trial, ROBUST, "pthread_mutex_lock(m + 2); op(); pthread_mutex_unlock(m + 2); op();");
    cr_assert_eq(trial.trace.robust_count, 1);
    const struct robust_place *place = &trial.trace.robust[0];
    cr_expect_eq(place->offset, 2 * MUTEX_SIZE);
    cr_expect_eq(place->tid, trial.trace.threads[0].tid);
    cr_expect_eq(place->thread, 0);
    cr_expect_eq(place->to, UINT32_MAX);
    trial_fini(&trial);
}

Test(robust, what_the_kernel_leaves_alone_is_no_place)
{
    expect_places("", "pthread_mutex_lock(m); op(); return 0;", 0);
    expect_places(ROBUST, "pthread_mutex_lock(m); pthread_mutex_unlock(m); op(); return 0;", 0);
    expect_places("pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT)",
                  "pthread_mutex_lock(m); op(); return 0;", 0);
}

/* The difference that run looks for is the proof: the kernel has marked the words by then. */
Test(robust, what_the_end_of_a_holder_stores_is_an_op)
{
    static const char *const bodies[] = {
        "pthread_mutex_lock(m); op(); _exit(0);",
        "pthread_mutex_lock(m); _exit(0);",
        "pthread_mutex_lock(m); pthread_mutex_lock(m + 2); op(); return 0;",
        "pthread_create(&t, 0, hold, 0); pthread_join(t, 0); return 0;",
        "pthread_create(&t, 0, hold, 0); pthread_join(t, 0); op(); munmap(m, 8192); return 0;",
        "if (fork() == 0) { hold(0); _exit(0); } wait(0); munmap(m, 8192); return 0;",
        "pthread_mutex_lock(m); execl(\"/proc/self/exe\", \"w\", \"x\", (char *)0); return 9;",
        "pthread_mutex_lock(m); execl(\"/none\", \"w\", (char *)0); pthread_mutex_unlock(m); "
        "return 0;",
        "pthread_mutex_lock(m); op(); munmap(m, 8192); op(); return 0;",
    };
    struct trial trial;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        run(&trial, ROBUST, bodies[i]);
        trial_fini(&trial);
    }
    run(&trial, ROBUST "; pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT)", bodies[0]);
    trial_fini(&trial);
}

Test(robust, a_mutex_that_was_unmapped_cannot_be_marked_any_more)
{
    struct trial trial;
    run(&trial, ROBUST, "pthread_mutex_lock(m); op(); munmap(m, 8192); op(); return 0;");
    cr_assert_eq(trial.trace.robust_count, 1);
    const struct op *last = trial_op(&trial, OP_WRITE, 1);
    cr_assert_not_null(last);
    cr_expect_eq(trial.trace.robust[0].to, last - trial.trace.ops);
    trial_fini(&trial);
}
