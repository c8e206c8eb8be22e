#include "record.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "trial_test.h"

#define LIMIT .timeout = 120

static void expect_equal(struct trial *recording, const char *label)
{
    char *difference OWN(own_mem) = trial_difference(recording, recording->trace.count, 0);
    cr_expect_null(difference, "%s: %s", label, difference);
}

static const struct {
    const char *label, *setup, *command;
} COMMANDS[] = {
    {"plain files", NULL, "echo a > a; echo b >> a; : > b; mkdir d; echo c > d/c"},
    {"links", "echo a > a", "ln a b; ln -s a c; echo x >> b; rm a; echo y > c"},
    {"renames", "mkdir d; echo a > d/a; echo b > b", "mv d e; mv b e/a; mv e/a f; mv f e"},
    {"a folder with an open file", NULL,
     "mkdir d; exec 3> d/f; mv d e; echo x >&3; rm e/f; echo y >&3; rmdir e"},
    {"in place", "echo one > f", "sed -i s/one/two/ f; cp f g; cat f g > h; truncate -s 1 h"},
    {"offsets that are shared", NULL,
     "exec 3> f; (echo a >&3; echo b >&3); echo c >&3; echo d >&3"},
    {"attributes", "echo a > a", "chmod 640 a; touch -d @1000 a; chmod u+s a; echo b >> a"},
    {"from outside and back", "mkdir w",
     "mkdir ../o; echo x > ../o/f; mv ../o in; mv in/f ../g; mv ../g in/h; ln ../worker l || :"},
    {"links that come back", "echo a > a",
     "ln a b; mv b ../g; mv ../g c; echo x >> c; mkdir d; ln a d/b; mv d ../o; mv ../o e; "
     "echo y >> e/b"},
    {"names with newlines", NULL,
     "mkdir \"a\nb\"; echo x > \"a\nb/c\nd\"; mv \"a\nb/c\nd\" \"e\n\""},
    {"processes side by side", NULL,
     "for i in 1 2 3 4 5 6; do (for j in 1 2 3 4 5 6 7 8; do echo $i >> f; echo $i > g$j; "
     "mv g$j h; done) & done; wait"},
    {"nothing at all", "echo a > a", ":"},
};

Test(record, every_effect_of_a_shell_script_is_in_the_trace, LIMIT)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof *COMMANDS; i++) {
        struct trial recording;
        trial_init(&recording, COMMANDS[i].setup);
        cr_expect(trial_shell(&recording, COMMANDS[i].command), "%s: %s", COMMANDS[i].label,
                  recording.err.text);
        cr_expect_eq(recording.trace.about.wait_status, 0, "%s", COMMANDS[i].label);
        expect_equal(&recording, COMMANDS[i].label);
        trial_fini(&recording);
    }
}

static void expect_worker_equal(const char *source, const char *label)
{
    struct trial recording;
    trial_init(&recording, NULL);
    char *program OWN(own_mem) = trial_compile(&recording, source);
    const char *const argv[] = {program, NULL};
    cr_expect(trial_run(&recording, argv), "%s: %s", label, recording.err.text);
    cr_expect_eq(recording.trace.about.wait_status, 0, "%s: status %x", label,
                 recording.trace.about.wait_status);
    expect_equal(&recording, label);
    trial_fini(&recording);
}

#define HEADERS                                                                                    \
    "#include <errno.h>\n#include <fcntl.h>\n#include <pthread.h>\n#include <sched.h>\n#include "  \
    "<signal.h>\n"                                                                                 \
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n"        \
    "#include <sys/sendfile.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n"                  \
    "#include <sys/syscall.h>\n#include <sys/uio.h>\n#include <sys/wait.h>\n#include <unistd.h>\n" \
    "#include <arpa/inet.h>\n"

Test(record, threads_that_fight_over_names_are_put_in_the_kernels_order, LIMIT)
{
    expect_worker_equal(
        HEADERS
        "static void *fight(void *a) { long n = (long)a; char f[9], g[9];\n"
        "for (int i = 0; i < 60; i++) { sprintf(f, \"f%ld\", (n + i) % 4);\n"
        "sprintf(g, \"g%ld\", n * i % 3); int d = open(f, O_CREAT | O_APPEND | O_WRONLY, 0644);\n"
        "write(d, f, 2); if (i % 8 == 0) fsync(d); if (i % 5 == 0) ftruncate(d, i); close(d);\n"
        "rename(f, g); if (i % 3 == 0) link(g, f); if (i % 7 == 0) unlink(g); } return 0; }\n"
        "int main() { pthread_t t[6]; if (fork() == 0) { fight((void *)9); _exit(0); }\n"
        "for (long i = 0; i < 6; i++) pthread_create(t + i, 0, fight, (void *)i);\n"
        "for (int i = 0; i < 6; i++) pthread_join(t[i], 0); wait(0); return 0; }\n",
        "threads");
}

Test(record, what_the_kernel_copies_and_what_has_no_name_is_recorded, LIMIT)
{
    expect_worker_equal(
        HEADERS
        "int main() { char p[40]; int t = open(\".\", O_TMPFILE | O_RDWR, 0600); write(t, "
        "\"abcdef\", 6);\n"
        "sprintf(p, \"/proc/self/fd/%d\", t); linkat(AT_FDCWD, p, AT_FDCWD, \"named\", "
        "AT_SYMLINK_FOLLOW);\n"
        "int o = open(\"o\", O_CREAT | O_RDWR, 0644); off_t at = 1; sendfile(o, t, &at, 3);\n"
        "loff_t in = 0; copy_file_range(t, &in, o, 0, 4, 0); int pp[2]; pipe(pp); write(pp[1], "
        "\"pipe\", 4);\n"
        "splice(pp[0], 0, o, 0, 4, 0); struct iovec v[2] = {{\"xy\", 2}, {\"z\", 1}}; writev(o, v, "
        "2);\n"
        "pwritev2(o, v, 2, 100, RWF_DSYNC); fallocate(o, 0, 200, 50); int a = open(\"a\", O_CREAT "
        "| O_APPEND | O_WRONLY, 0600);\n"
        "pwrite(a, \"one\", 3, 50); pwrite(a, \"two\", 3, 0); symlink(\"gone\", \"l\"); int g = "
        "open(\"l\", O_CREAT | O_WRONLY, 0600);\n"
        "write(g, \"g\", 1); mkfifo(\"q\", 0600); renameat2(AT_FDCWD, \"q\", AT_FDCWD, \"a\", "
        "RENAME_EXCHANGE); return 0; }\n",
        "copies");
}

Test(record, stores_through_a_shared_mapping_are_recorded, LIMIT)
{
    for (int way = 0; way < 2; way++) {
        struct trial recording;
        trial_init(&recording, NULL);
        recording.options.without = way == 0 ? 0 : WITHOUT_UFFD;
        char *program OWN(own_mem) = trial_compile(
            &recording, HEADERS
            "int main() { int f = open(\"m\", O_CREAT | O_RDWR, 0644); ftruncate(f, 20000);\n"
            "char *m = mmap(0, 20000, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0); m[1] = 1; m[9000] "
            "= 2;\n"
            "msync(m, 20000, MS_SYNC); if (fork() == 0) { m[12000] = 3; _exit(0); } wait(0);\n"
            "m[19999] = 4; m = mremap(m, 20000, 40000, MREMAP_MAYMOVE); m[5] = 5; munmap(m, "
            "40000); return 0; }\n");
        const char *const argv[] = {program, NULL};
        cr_expect(trial_run(&recording, argv), "%s", recording.err.text);
        cr_expect_geq(trial_count(&recording, OP_STORE), 5u);
        cr_expect_eq(trial_count(&recording, OP_SYNC_MAP), 1u);
        expect_equal(&recording, way == 0 ? "userfaultfd" : "comparison");
        trial_fini(&recording);
    }
}

static const char TWO_WRITES[] = "echo first > f; echo second >> f; mv f g; echo third > h";

Test(record, a_worker_is_halted_before_inside_and_after_each_op, LIMIT)
{
    struct trial whole;
    trial_init(&whole, NULL);
    cr_assert(trial_shell(&whole, TWO_WRITES));
    for (uint32_t op = whole.trace.initial; op < whole.trace.count; op++) {
        const bool is_write = whole.trace.ops[op].kind == OP_WRITE;
        for (int where = HALT_BEFORE; where <= HALT_AFTER; where++) {
            if ((where == HALT_INSIDE && !is_write) || !op_is_crash_point(&whole.trace.ops[op]))
                continue;
            struct trial recording;
            const struct record_halt halt = {.op = op, .where = (enum halt_where)where, .bytes = 3};
            trial_init(&recording, NULL);
            recording.options.halt = &halt;
            cr_assert(trial_shell(&recording, TWO_WRITES), "%s", recording.err.text);
            cr_expect_eq(recording.end, RECORD_HALTED, "op %u, %d", op, where);
            cr_expect_eq(recording.trace.about.wait_status & 0x7f, 9);
            char *difference OWN(own_mem) = trial_difference(&recording, op + (where == HALT_AFTER),
                                                             where == HALT_INSIDE ? 3 : 0);
            cr_expect_null(difference, "op %u, %d: %s", op, where, difference);
            trial_fini(&recording);
        }
    }
    trial_fini(&whole);
}

Test(record, a_halting_point_that_is_never_reached_is_said, LIMIT)
{
    const struct record_halt halt = {.op = 1000};
    struct trial recording;
    trial_init(&recording, NULL);
    recording.options.halt = &halt;
    cr_assert(trial_shell(&recording, "echo a > a"), "%s", recording.err.text);
    cr_expect_eq(recording.end, RECORD_MISSED);
    trial_fini(&recording);
}

Test(record, processes_that_outlive_the_main_one_are_killed_and_named, LIMIT)
{
    struct trial recording;
    trial_init(&recording, NULL);
    cr_assert(trial_shell(&recording, "setsid sleep 1000 > /dev/null & echo $! > pid"), "%s",
              recording.err.text);
    cr_expect_eq(recording.trace.about.left_processes, 1u);
    cr_expect(trial_has_note(&recording, "still alive"));
    cr_expect_eq(waitpid(-1, NULL, __WALL), -1, "a process is left");
    expect_equal(&recording, "left");
    trial_fini(&recording);
}

Test(record, a_program_that_is_not_there_is_the_users_error, LIMIT)
{
    struct trial recording;
    const char *const argv[] = {"/nowhere/at/all", NULL};
    trial_init(&recording, NULL);
    cr_expect_not(trial_run(&recording, argv));
    cr_expect_eq(recording.err.kind, ERR_USAGE);
    cr_expect_str_eq(recording.err.text, "start /nowhere/at/all: No such file or directory");
    trial_fini(&recording);
}

Test(record, a_worker_that_never_ends_is_killed_at_the_time_limit, LIMIT)
{
    struct trial recording;
    trial_init(&recording, NULL);
    recording.options.timeout_ns = 200000000;
    cr_assert(trial_shell(&recording, "echo a > a; sleep 1000; echo b > b"), "%s",
              recording.err.text);
    cr_expect_eq(recording.end, RECORD_TIMED_OUT);
    expect_equal(&recording, "timeout");
    trial_fini(&recording);
}

Test(record, only_what_goes_to_the_first_stdout_is_acked, LIMIT)
{
    struct trial recording;
    trial_init(&recording, NULL);
    cr_assert(trial_shell(&recording, "echo one; echo two >&2; exec 5>&1; (echo three >&5) | cat; "
                                      "echo four | cat; exec > file; echo five; echo six >&5"),
              "%s", recording.err.text);
    static const char *const acked[] = {"one\n", "three\n", "four\n", "six\n"};
    unsigned found = 0;
    const struct op *op;
    for (unsigned i = 0; (op = trial_op(&recording, OP_OUTPUT, i)) != NULL; i++) {
        char text[32] = "";
        struct err err = {0};
        if ((op->flags & OP_ACKED) == 0)
            continue;
        cr_assert(trace_read(&recording.trace, op->payload, text, op->payload_size, &err));
        cr_assert_lt(found, 4u);
        cr_expect_str_eq(text, acked[found++]);
    }
    cr_expect_eq(found, 4u);
    trial_fini(&recording);
}

Test(record, files_outside_are_noted_and_excluded_ones_are_not, LIMIT)
{
    static const char *const exclude[] = {"*.log", "cache", NULL};
    struct trial recording;
    trial_init(&recording, "mkdir cache; echo a > a.log");
    recording.options.exclude = exclude;
    cr_assert(trial_shell(&recording, "echo x > ../out; echo y >> a.log; echo z > cache/z; "
                                      "mv a.log b; mv b c.log; echo w > d.log; mkdir e"),
              "%s", recording.err.text);
    cr_expect(trial_has_note(&recording, "writes outside the workspace"));
    cr_expect_not(trial_has_note(&recording, ".log"));
    cr_expect_eq(trial_count(&recording, OP_OUTPUT), 1u);
    expect_equal(&recording, "excluded");
    trial_fini(&recording);
}

Test(record, a_call_that_nobody_records_costs_no_stop, LIMIT)
{
    struct trial recording;
    trial_init(&recording, NULL);
    char *program OWN(own_mem) = trial_compile(
        &recording,
        HEADERS "int main() { char b[9]; int f = open(\"/dev/zero\", O_RDONLY);\n"
                "for (int i = 0; i < 20000; i++) { getppid(); read(f, b, 9); } return 0; }\n");
    const char *const argv[] = {program, NULL};
    cr_assert(trial_run(&recording, argv), "%s", recording.err.text);
    cr_expect_leq(recording.trace.about.stops, 5u);
    trial_fini(&recording);
}

Test(record, plain_writes_of_one_thread_stop_once_and_with_exits_twice, LIMIT)
{
    for (int exits = 0; exits < 2; exits++) {
        struct trial recording;
        trial_init(&recording, NULL);
        recording.options.want_exits = exits == 1;
        char *program OWN(own_mem) = trial_compile(
            &recording, HEADERS "int main() { int f = creat(\"f\", 0600);\n"
                                "for (int i = 0; i < 1000; i++) write(f, \"x\", 1); return 0; }\n");
        const char *const argv[] = {program, NULL};
        cr_assert(trial_run(&recording, argv), "%s", recording.err.text);
        cr_expect_eq(trial_count(&recording, OP_WRITE), 1000u);
        cr_expect_eq(recording.trace.about.stops / 1000, (uint64_t)exits + 1);
        expect_equal(&recording, "writes");
        trial_fini(&recording);
    }
}

Test(record, io_uring_is_refused_and_counted, LIMIT)
{
    struct trial recording;
    trial_init(&recording, NULL);
    char *program OWN(own_mem) = trial_compile(
        &recording, HEADERS
        "int main() { char b[500] = {0}; return syscall(425, 8, b) != -1 || errno != ENOSYS; }\n");
    const char *const argv[] = {program, NULL};
    cr_assert(trial_run(&recording, argv), "%s", recording.err.text);
    cr_expect_eq(recording.trace.about.wait_status, 0);
    cr_expect_eq(recording.trace.about.io_uring_refused, 1u);
    trial_fini(&recording);
}

Test(record, job_control_and_signals_reach_the_worker_unharmed, LIMIT)
{
    expect_worker_equal(
        HEADERS
        "static int n; static void count(int s) { n++; }\n"
        "int main() { struct sigaction a = {.sa_handler = count}; sigaction(SIGUSR1, &a, 0);\n"
        "int p[2]; pipe(p); pid_t k = fork(); if (k == 0) { for (int i = 0; i < 4; i++) { "
        "raise(SIGSTOP);\n"
        "int f = open(\"s\", O_CREAT | O_APPEND | O_WRONLY, 0600); write(f, \"x\", 1); "
        "kill(getppid(), SIGUSR1); } _exit(7); }\n"
        "int s, stops = 0; for (;;) { if (waitpid(k, &s, WUNTRACED) < 0) { if (errno == EINTR) "
        "continue; return 1; }\n"
        "if (!WIFSTOPPED(s)) break; struct stat st = {0}; for (int i = 0; i < 2000; i++) "
        "sched_yield();\n"
        "stat(\"s\", &st); if (st.st_size != stops) return 2; stops++; kill(k, SIGCONT); }\n"
        "return !(stops == 4 && n >= 1 && WEXITSTATUS(s) == 7); }\n",
        "job control");
}

Test(record, an_exec_by_another_thread_leaves_one_process, LIMIT)
{
    struct trial recording;
    trial_init(&recording, NULL);
    char *program OWN(own_mem) = trial_compile(
        &recording, HEADERS "static void *e(void *a) { execl(\"/bin/sh\", \"sh\", \"-c\", \"echo x "
                            "> q; exit 5\", (char *)0); return 0; }\n"
                            "static void *l(void *a) { for (;;) { int f = open(\"z\", O_CREAT | "
                            "O_TRUNC | O_WRONLY, 0600); write(f, \"abc\", 3); close(f); } }\n"
                            "int main() { pthread_t t; pthread_create(&t, 0, l, 0); usleep(1000); "
                            "pthread_create(&t, 0, e, 0); pause(); }\n");
    const char *const argv[] = {program, NULL};
    cr_assert(trial_run(&recording, argv), "%s", recording.err.text);
    cr_expect_eq(WEXITSTATUS(recording.trace.about.wait_status), 5);
    cr_expect_eq(recording.trace.about.processes, 1u);
    expect_equal(&recording, "exec");
    trial_fini(&recording);
}

static int listen_on_loopback(uint16_t *port)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    cr_assert_eq(bind(fd, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(listen(fd, 5), 0);
    cr_assert_eq(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

static const char CLIENT[] =
    HEADERS "int main(int c, char **v) { struct sockaddr_in a = {AF_INET, htons(atoi(v[1])), "
            "{htonl(0x7f000001)}};\n"
            "int s = socket(AF_INET, SOCK_STREAM, 0); if (connect(s, (void *)&a, sizeof a)) return "
            "1; send(s, \"hello\", 5, 0);\n"
            "char b[9]; if (read(s, b, 9) != 3) return 2; close(s); struct sockaddr_in m = "
            "{AF_INET}; socklen_t z = sizeof m;\n"
            "int l = socket(AF_INET, SOCK_STREAM, 0); m.sin_addr.s_addr = htonl(0x7f000001); "
            "bind(l, (void *)&m, z); listen(l, 5); getsockname(l, (void *)&m, &z);\n"
            "if (fork() == 0) { int o = socket(AF_INET, SOCK_STREAM, 0); connect(o, (void *)&m, "
            "z); write(o, \"inside\", 6); _exit(0); }\n"
            "int i = accept(l, 0, 0); read(i, b, 9); wait(0); return 0; }\n";

/* The service: answers the first connection. */
static void answer(int listener)
{
    const int fd = accept(listener, NULL, NULL);
    char bytes[16];
    if (fd != -1 && read(fd, bytes, sizeof bytes) > 0 && write(fd, "ack", 3) == 3)
        close(fd);
    _exit(0);
}

Test(record, connections_to_the_outside_are_recorded_and_inner_ones_are_not, LIMIT)
{
    struct trial recording;
    uint16_t port;
    trial_init(&recording, NULL);
    char *program OWN(own_mem) = trial_compile(&recording, CLIENT);
    const int listener = listen_on_loopback(&port);
    const pid_t service = fork();
    if (service == 0)
        answer(listener);
    close(listener);
    char *number OWN(own_mem) = mem_format("%u", port);
    char *peer OWN(own_mem) = mem_format("tcp 127.0.0.1:%u", port);
    const char *const argv[] = {program, number, NULL};
    cr_assert(trial_run(&recording, argv), "%s", recording.err.text);
    cr_expect_eq(recording.trace.about.wait_status, 0);
    static const enum op_kind kinds[] = {OP_CONNECT, OP_SEND, OP_RECEIVE, OP_SHUTDOWN};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cr_assert_eq(trial_count(&recording, kinds[i]), 1u, "kind %d", kinds[i]);
        const struct op *op = trial_op(&recording, kinds[i], 0);
        cr_expect_str_eq(trace_string(&recording.trace, op->path), peer);
    }
    cr_expect_eq(trial_op(&recording, OP_SEND, 0)->size, 5u);
    cr_expect_eq(trial_op(&recording, OP_RECEIVE, 0)->size, 3u);
    trial_fini(&recording);
}

Test(record, words_of_brink_without_are_checked)
{
    unsigned bits = 0;
    struct err err = {0};
    cr_expect(without_parse("uffd,tmpfs", &bits, &err));
    cr_expect_eq(bits, (unsigned)(WITHOUT_UFFD | WITHOUT_TMPFS));
    cr_expect(without_parse("all", &bits, &err));
    cr_expect_eq(bits, (unsigned)WITHOUT_ALL);
    cr_expect_not(without_parse("uffd,nonsense", &bits, &err));
    cr_expect_eq(err.kind, ERR_USAGE);
}
