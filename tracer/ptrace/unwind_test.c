#include "unwind.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>

#include "puppet_test.h"
#include "tracer/base/attr.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

#define NOINLINE __attribute__((noinline))

extern char **environ;

struct trial {
    struct trace trace;
    struct trace_writer writer;
    struct unwinder *unwinder;
};

static void trial_init(struct trial *recording)
{
    trace_init(&recording->trace);
    trace_writer_init(&recording->writer, &recording->trace, open("/dev/null", O_RDWR | O_CLOEXEC));
    recording->unwinder = unwinder_new(&recording->writer);
}

static void trial_fini(struct trial *recording)
{
    unwinder_free(recording->unwinder);
    trace_writer_fini(&recording->writer);
    trace_fini(&recording->trace);
}

/* The functions of a stack as "inner outer main ...". Caller frees. */
static char *functions(const struct trial *recording, uint32_t number)
{
    const struct trace *trace = &recording->trace;
    const struct trace_stack *stack = &trace->stacks[number];
    char *text = mem_string("");
    for (uint32_t i = 0; i < stack->count; i++) {
        const uint32_t frame = trace->stack_frames[stack->first + i];
        char *longer =
            mem_format("%s%s ", text, trace_string(trace, trace->frames[frame].function));
        free(text);
        text = longer;
    }
    return text;
}

static void expect_functions(struct trial *recording, uint32_t stack, const char *want)
{
    unwinder_resolve(recording->unwinder);
    char *names OWN(own_mem) = functions(recording, stack);
    cr_expect(strstr(names, want) != NULL, "want '%s' in '%s'", want, names);
}

/* The stops are kept apart by the empty asm: without it the calls would be the last ones of their
 * functions, and be turned into jumps that leave no frame. */
NOINLINE static void puppet_leaf(void)
{
    syscall(SYS_getppid);
    __asm__ volatile("" ::: "memory");
}

enum { LINE_OF_CALL = __LINE__ + 3 };
NOINLINE static void puppet_left(void)
{
    puppet_leaf();
    __asm__ volatile("nop" ::: "memory");
}

NOINLINE static void puppet_right(void)
{
    puppet_leaf();
    __asm__ volatile("nop; nop" ::: "memory");
}

static void act_both(void *context)
{
    (void)context;
    for (volatile int i = 0; i < 3; i++) { /* volatile: not to be unrolled into many places */
        puppet_left();
        puppet_right();
    }
}

static uint32_t stack_at_next_stop(struct trial *recording, pid_t pid)
{
    puppet_until(pid, SYS_getppid, PUPPET_ENTRY);
    return unwinder_stack(recording->unwinder, pid, pid);
}

Test(unwind, a_stack_names_its_functions_from_the_inside_out, .timeout = 10)
{
    struct trial recording;
    trial_init(&recording);
    const pid_t pid = puppet_start(act_both, NULL);
    const uint32_t stack = stack_at_next_stop(&recording, pid);
    expect_functions(&recording, stack, "puppet_leaf puppet_left act_both puppet_start ");
    puppet_kill(pid);
    trial_fini(&recording);
}

Test(unwind, a_frame_has_file_and_line_of_its_call, .timeout = 10)
{
    struct trial recording;
    trial_init(&recording);
    const pid_t pid = puppet_start(act_both, NULL);
    const uint32_t stack = stack_at_next_stop(&recording, pid);
    unwinder_resolve(recording.unwinder);
    const struct trace *trace = &recording.trace;
    const uint32_t first = trace->stacks[stack].first;
    const struct trace_frame *frame = NULL;
    for (uint32_t i = 0; i < trace->stacks[stack].count && frame == NULL; i++) {
        const struct trace_frame *other = &trace->frames[trace->stack_frames[first + i]];
        if (strcmp(trace_string(trace, other->function), "puppet_left") == 0)
            frame = other;
    }
    cr_assert_not_null(frame);
    const char *file = trace_string(trace, frame->file);
    cr_expect(strstr(file, "unwind_test.c") != NULL, "file '%s'", file);
    cr_expect_eq(frame->line, LINE_OF_CALL, "line %u", frame->line);
    cr_expect(strstr(trace_string(trace, frame->module), "unit_tests") != NULL);
    puppet_kill(pid);
    trial_fini(&recording);
}

Test(unwind, the_same_stack_has_the_same_number_and_another_one_another, .timeout = 10)
{
    struct trial recording;
    trial_init(&recording);
    const pid_t pid = puppet_start(act_both, NULL);
    uint32_t stacks[6];
    for (int i = 0; i < 6; i++)
        stacks[i] = stack_at_next_stop(&recording, pid);
    for (int i = 0; i < 6; i++)
        cr_expect_eq(stacks[i], stacks[i % 2]);
    cr_expect_neq(stacks[0], stacks[1]);
    expect_functions(&recording, stacks[0], "puppet_leaf puppet_left act_both ");
    expect_functions(&recording, stacks[1], "puppet_leaf puppet_right act_both ");
    puppet_kill(pid);
    trial_fini(&recording);
}

Test(unwind, equal_places_in_two_processes_are_one_stack, .timeout = 10)
{
    struct trial recording;
    trial_init(&recording);
    pid_t pids[2];
    for (volatile int i = 0; i < 2; i++) /* one call, so that both have one place */
        pids[i] = puppet_start(act_both, NULL);
    const pid_t one = pids[0];
    const pid_t two = pids[1];
    const uint32_t first = stack_at_next_stop(&recording, one);
    cr_expect_neq(first, 0);
    cr_expect_eq(stack_at_next_stop(&recording, two), first);
    puppet_kill(one);
    unwinder_remove(recording.unwinder, one);
    cr_expect_neq(stack_at_next_stop(&recording, two), first);
    cr_expect_eq(stack_at_next_stop(&recording, two), first);
    puppet_kill(two);
    trial_fini(&recording);
}

NOINLINE static void dive(int depth)
{
    if (depth == 0)
        syscall(SYS_getppid);
    else
        dive(depth - 1);
    __asm__ volatile("" ::: "memory");
}

static void act_dive(void *context)
{
    (void)context;
    dive(1000);
}

Test(unwind, a_deep_stack_is_cut_off_at_64_frames, .timeout = 10)
{
    struct trial recording;
    trial_init(&recording);
    const pid_t pid = puppet_start(act_dive, NULL);
    const uint32_t stack = stack_at_next_stop(&recording, pid);
    cr_expect_eq(recording.trace.stacks[stack].count, 64);
    puppet_kill(pid);
    trial_fini(&recording);
}

/* A program or library built for one test, in a folder of its own. */
struct built {
    char folder[40];
    char *file;
};

static void built_init(struct built *built, const char *source, const char *flags)
{
    snprintf(built->folder, sizeof built->folder, "/tmp/brink-test-XXXXXX");
    cr_assert_not_null(mkdtemp(built->folder));
    char *code OWN(own_mem) = mem_format("%s/a.c", built->folder);
    built->file = mem_format("%s/a.out", built->folder);
    const int fd = open(code, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    cr_assert_eq(write(fd, source, strlen(source)), (ssize_t)strlen(source));
    close(fd);
    char *command OWN(own_mem) =
        mem_format("cd %s && cc -w -g -O1 %s a.c -o a.out", built->folder, flags);
    char shell[] = "sh", option[] = "-c";
    char *const argv[] = {shell, option, command, NULL};
    pid_t pid = 0;
    cr_assert_eq(posix_spawnp(&pid, "sh", NULL, NULL, argv, environ), 0);
    int status = 0;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0, "cc failed");
    unlink(code);
}

static void built_fini(struct built *built)
{
    unlink(built->file);
    rmdir(built->folder);
    free(built->file);
}

static const char program[] = "#include <unistd.h>\n"
                              "#include <sys/syscall.h>\n"
                              "__attribute__((noinline)) int inner(void)\n"
                              "{ int r = (int)syscall(SYS_getppid); __asm__(\"nop\"); return r; }\n"
                              "__attribute__((noinline)) int outer(void)\n"
                              "{ int r = inner(); __asm__(\"nop\"); return r; }\n"
                              "int main(void) { return outer() == 0; }\n";

static void act_exec(void *context)
{
    char *const argv[] = {context, NULL};
    syscall(SYS_getppid);
    execv(context, argv);
    _exit(9);
}

static void expect_exec_is_walked(const char *flags, const char *want)
{
    struct built built;
    struct trial recording;
    built_init(&built, program, flags);
    trial_init(&recording);
    const pid_t pid = puppet_start(act_exec, built.file);
    (void)stack_at_next_stop(&recording, pid);
    puppet_until(pid, SYS_execve, PUPPET_EXIT);
    unwinder_forget(recording.unwinder, pid);
    const uint32_t stack = stack_at_next_stop(&recording, pid);
    puppet_kill(pid);
    built_fini(&built); /* the file was kept open, so its names are still found */
    expect_functions(&recording, stack, want);
    trial_fini(&recording);
}

Test(unwind, an_execed_program_is_walked_with_its_own_code, .timeout = 30)
{
    expect_exec_is_walked("", "inner outer main ");
}

Test(unwind, a_static_program_is_walked, .timeout = 30)
{
    expect_exec_is_walked("-static", "inner outer main ");
}

Test(unwind, a_static_program_that_is_moved_in_memory_is_walked, .timeout = 30)
{
    expect_exec_is_walked("-static-pie", "inner outer main ");
}

Test(unwind, an_inlined_function_is_named_at_its_own_line, .timeout = 30)
{
    expect_exec_is_walked("-Dnoinline=always_inline", "inner ");
}

static const char library[] =
    "int through(int (*f)(void)) { int r = f(); __asm__(\"nop\"); return r; }\n";

static int leaf_of_library(void)
{
    puppet_leaf();
    return 1;
}

static void act_load(void *context)
{
    puppet_leaf();
    void *handle = dlopen(context, RTLD_NOW);
    int (*through)(int (*)(void)) = NULL;
    *(void **)&through = dlsym(handle, "through");
    puppet_leaf();
    (void)through(leaf_of_library);
    __asm__ volatile("nop" ::: "memory");
}

Test(unwind, a_library_that_was_loaded_later_is_walked_through, .timeout = 30)
{
    struct built built;
    struct trial recording;
    built_init(&built, library, "-shared -fPIC");
    trial_init(&recording);
    const pid_t pid = puppet_start(act_load, built.file);
    (void)stack_at_next_stop(&recording, pid);
    (void)stack_at_next_stop(&recording, pid);
    const uint32_t stack = stack_at_next_stop(&recording, pid);
    expect_functions(&recording, stack, "puppet_leaf leaf_of_library through act_load ");
    puppet_kill(pid);
    built_fini(&built);
    trial_fini(&recording);
}

Test(unwind, a_thread_that_is_gone_has_no_stack, .timeout = 10)
{
    struct trial recording;
    trial_init(&recording);
    const pid_t pid = puppet_start(act_both, NULL);
    puppet_kill(pid);
    cr_expect_eq(unwinder_stack(recording.unwinder, pid, pid), 0);
    trial_fini(&recording);
}
