#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "trial_test.h"

#define LIMIT .timeout = 120
#define HEADERS                                                                                    \
    "#include <fcntl.h>\n#include <stdio.h>\n#include <sys/uio.h>\n#include <unistd.h>\n#include " \
    "<sys/wait.h>\n#include <pthread.h>\n"

/* Two records, the second one in three pieces. */
static const char worker[] = HEADERS
    "int main() { int d = open(\"a.log\", O_CREAT | O_WRONLY, 0644);\n"
    "write(d, \"id=1 ACTION_CONFIRMED\\n\", 22); fsync(d);\n"
    "write(d, \"id=2 ACTION_\", 12); write(d, \"CONF\", 4); write(d, \"IRMED\\nmore\", 10);\n"
    "fsync(d); rename(\"a.log\", \"b.log\"); write(1, \"DONE\\n\", 5); return 7; }\n";

struct halting {
    struct trial recording;
    struct barrier barrier;
    struct record_halted halted;
    char *program;
    bool is_done;
};

static void run(struct halting *halting, const char *source, const char *words)
{
    struct trial *recording = &halting->recording;
    struct err err = {0};
    halting->halted = (struct record_halted){0};
    trial_init(recording, NULL);
    halting->program = trial_compile(recording, source);
    cr_assert(barrier_parse(words, &halting->barrier, &err), "%s", err.text);
    recording->options.barrier = &halting->barrier;
    recording->options.halted = &halting->halted;
    recording->options.want_backtrace = true;
    const char *const argv[] = {halting->program, NULL};
    halting->is_done = trial_run(recording, argv);
}

static void fini(struct halting *halting)
{
    free(halting->program);
    barrier_fini(&halting->barrier);
    trial_fini(&halting->recording);
}

/* The content of a file in the workspace; caller frees. */
static char *content(const struct halting *halting, const char *name)
{
    char *path OWN(own_mem) = mem_format("%s/%s", halting->recording.workspace, name);
    char *text = mem_new(4096, 1);
    FILE *file = fopen(path, "re");
    cr_assert_not_null(file, "%s is not there", path);
    text[fread(text, 1, 4095, file)] = '\0';
    fclose(file);
    return text;
}

static char *payload(const struct halting *halting)
{
    const struct op *op = &halting->halted.op;
    struct err err = {0};
    char *text = mem_new(op->payload_size + 1, 1);
    cr_assert(trace_read(&halting->recording.trace, op->payload, text, op->payload_size, &err));
    return text;
}

#define BEGIN "id=1 ACTION_CONFIRMED\nid=2 ACTION_CONF"

static const struct {
    const char *words, *content;
    uint64_t done;
    int status;
} PLACES[] = {
    {"write path=*.log contains=ACTION_CONFIRMED nth=2", BEGIN, 0, SIGKILL},
    {"write path=*.log contains=ACTION_CONFIRMED nth=2 where=inside bytes=3", BEGIN "IRM", 3,
     SIGKILL},
    {"write contains=/id=2.*CONFIRMED/ where=after", BEGIN "IRMED\nmore", 10, SIGKILL},
    {"write contains=ACTION_CONFIRMED nth=2 do=exit:23", BEGIN, 0, 23 << 8},
    {"write contains=ACTION_CONFIRMED nth=2 where=inside bytes=3 do=exit:23", BEGIN "IRM", 3,
     23 << 8},
    {"write contains=ACTION_CONFIRMED nth=2 where=after do=exit:0", BEGIN "IRMED\nmore", 10, 0},
    {"sync covers=/id=2.*CONFIRMED/", BEGIN "IRMED\nmore", 0, SIGKILL},
    {"rename path=b.log", BEGIN "IRMED\nmore", 0, SIGKILL},
};

Test(barrier_halt, the_worker_ends_where_the_barrier_says_and_as_it_says, LIMIT)
{
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        struct halting halting;
        run(&halting, worker, PLACES[i].words);
        cr_assert(halting.is_done, "%s: %s", PLACES[i].words, halting.recording.err.text);
        cr_expect_eq(halting.recording.end, RECORD_HALTED, "%s", PLACES[i].words);
        cr_expect_eq(halting.halted.status, PLACES[i].status, "%s: status %#x", PLACES[i].words,
                     halting.halted.status);
        cr_expect_eq(halting.recording.trace.about.wait_status, PLACES[i].status);
        cr_expect_eq(halting.halted.done, PLACES[i].done, "%s", PLACES[i].words);
        cr_expect_eq(halting.halted.processes, 1);
        char *left OWN(own_mem) = content(&halting, "a.log");
        cr_expect_str_eq(left, PLACES[i].content, "%s: %s", PLACES[i].words, left);
        char *difference OWN(own_mem) =
            trial_difference(&halting.recording, halting.recording.trace.count, 0);
        cr_expect_null(difference, "%s: %s", PLACES[i].words, difference);
        fini(&halting);
    }
}

Test(barrier_halt, what_was_halted_is_told_with_all_its_bytes_and_its_place_in_the_source, LIMIT)
{
    struct halting halting;
    run(&halting, worker, "write contains=ACTION_CONFIRMED nth=2 where=inside bytes=3");
    cr_assert(halting.is_done, "%s", halting.recording.err.text);
    char *bytes OWN(own_mem) = payload(&halting);
    cr_expect_str_eq(bytes, "IRMED\nmore");
    cr_expect_eq(halting.halted.reached, 2);
    cr_expect_str_eq(op_call_name(&halting.halted.op), "write");
    cr_expect_str_eq(trace_string(&halting.recording.trace, halting.halted.op.path), "a.log");
    char *where OWN(own_mem) = trace_where(&halting.recording.trace, &halting.halted.op);
    cr_expect(where != NULL && strstr(where, "main") != NULL, "%s", where);
    fini(&halting);
}

static const char *const SYNCED[] = {
    "write contains=ACTION_CONFIRMED nth=2 where=inside bytes=3 sync",
    "write contains=ACTION_CONFIRMED nth=2 sync do=exit:23",
    "write contains=ACTION_CONFIRMED nth=2 where=after sync do=exit:23",
};

Test(barrier_halt, a_sync_that_is_asked_for_is_done_after_what_was_written, LIMIT)
{
    for (size_t i = 0; i < sizeof SYNCED / sizeof *SYNCED; i++) {
        struct halting halting;
        run(&halting, worker, SYNCED[i]);
        cr_assert(halting.is_done, "%s: %s", SYNCED[i], halting.recording.err.text);
        const struct trace *trace = &halting.recording.trace;
        uint32_t last = trace->count - 1;
        while (last > 0 && trace->ops[last].kind == OP_EXIT)
            last--;
        cr_expect(halting.halted.has_synced, "%s", SYNCED[i]);
        cr_expect_eq(trace->ops[last].kind, OP_SYNC, "%s: kind %d", SYNCED[i],
                     trace->ops[last].kind);
        cr_expect_eq(trace->ops[last].node, halting.halted.op.node);
        cr_expect_eq(trace->ops[last - 1].kind, OP_WRITE, "%s", SYNCED[i]);
        cr_expect_eq(trace->ops[last].enter, last);
        fini(&halting);
    }
}

Test(barrier_halt, a_barrier_that_is_not_reached_leaves_the_worker_alone, LIMIT)
{
    struct halting halting;
    run(&halting, worker, "write contains=ACTION_CONFIRMED nth=3");
    cr_assert(halting.is_done, "%s", halting.recording.err.text);
    cr_expect_eq(halting.recording.end, RECORD_MISSED);
    cr_expect_eq(halting.recording.trace.about.wait_status, 7 << 8);
    fini(&halting);
}

Test(barrier_halt, stdout_is_a_stream_to_halt_at_as_well, LIMIT)
{
    struct halting halting;
    run(&halting, worker, "write path=stdout contains=DONE");
    cr_assert(halting.is_done, "%s", halting.recording.err.text);
    cr_expect_eq(halting.recording.end, RECORD_HALTED);
    cr_expect_eq(trial_count(&halting.recording, OP_OUTPUT), 0);
    cr_expect_eq(trial_count(&halting.recording, OP_RENAME), 1);
    fini(&halting);
}

static const struct {
    const char *words, *message;
} IMPOSSIBLE[] = {
    {"write contains='id=2 ACTION_' where=inside bytes=12",
     "the barrier is inside a call of write after 12 bytes, but the call has 12"},
    {"write contains=DONE sync", "barrier: sync of stdout: Invalid argument"},
};

Test(barrier_halt, what_cannot_be_done_at_a_barrier_is_an_error, LIMIT)
{
    for (size_t i = 0; i < sizeof IMPOSSIBLE / sizeof *IMPOSSIBLE; i++) {
        struct halting halting;
        run(&halting, worker, IMPOSSIBLE[i].words);
        cr_expect_not(halting.is_done);
        cr_expect_eq(halting.recording.err.kind, ERR_USAGE);
        cr_expect_not_null(strstr(halting.recording.err.text, IMPOSSIBLE[i].message), "%s",
                           halting.recording.err.text);
        fini(&halting);
    }
}

/* Each of four processes of two threads appends lines; one of them comes to the fortieth. */
static const char crowd[] =
    HEADERS "static int d; static void *work(void *a) { (void)a;\n"
            "for (int i = 0; i < 200; i++) write(d, \"line\\n\", 5); return 0; }\n"
            "int main() { d = open(\"f\", O_CREAT | O_APPEND | O_WRONLY, 0644);\n"
            "for (int p = 0; p < 4; p++) { if (fork() == 0) { pthread_t t;\n"
            "pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); _exit(0); } }\n"
            "while (wait(0) > 0) { } return 0; }\n";

static const char *const CROWDED[] = {"write path=f nth=40", "write path=f nth=40 do=exit:23",
                                      "write path=f contains=line nth=40 where=inside bytes=2 sync "
                                      "do=exit:23"};

Test(barrier_halt, nothing_of_many_threads_and_processes_happens_after_the_barrier, LIMIT)
{
    static const size_t sizes[] = {195, 195, 197};
    for (size_t i = 0; i < sizeof CROWDED / sizeof *CROWDED; i++) {
        struct halting halting;
        run(&halting, crowd, CROWDED[i]);
        cr_assert(halting.is_done, "%s: %s", CROWDED[i], halting.recording.err.text);
        cr_expect_eq(halting.recording.end, RECORD_HALTED);
        char *left OWN(own_mem) = content(&halting, "f");
        cr_expect_eq(strlen(left), sizes[i], "%s: %zu", CROWDED[i], strlen(left));
        cr_expect_geq(halting.halted.processes, 2);
        cr_expect_eq(halting.halted.status, i == 0 ? SIGKILL : 23 << 8);
        fini(&halting);
    }
}

/* A service that outlives the worker, on a port of its own: one connection, all it sends. */
struct service {
    int listener;
    uint16_t port;
    pthread_t thread;
    char got[256];
    size_t size;
};

static void *serve(void *context)
{
    struct service *service = context;
    const int connection = accept(service->listener, NULL, NULL);
    ssize_t size = connection == -1 ? 0 : write(connection, "WELCOME", 7);
    while (size > 0) {
        size = read(connection, service->got + service->size, sizeof service->got - service->size);
        service->size += size > 0 ? (size_t)size : 0;
    }
    if (connection != -1)
        close(connection);
    return NULL;
}

static void service_start(struct service *service)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    *service = (struct service){.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    cr_assert_eq(bind(service->listener, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(listen(service->listener, 1), 0);
    cr_assert_eq(getsockname(service->listener, (struct sockaddr *)&address, &size), 0);
    service->port = ntohs(address.sin_port);
    cr_assert_eq(pthread_create(&service->thread, NULL, serve, service), 0);
}

/* Also when nobody has connected. */
static void service_stop(struct service *service)
{
    shutdown(service->listener, SHUT_RDWR);
    pthread_join(service->thread, NULL);
    close(service->listener);
}

static const char client[] = HEADERS
    "#include <arpa/inet.h>\n#include <sys/socket.h>\n#include <stdlib.h>\n"
    "int main() { char b[9]; struct sockaddr_in a = {.sin_family = AF_INET,\n"
    ".sin_port = htons(atoi(getenv(\"PORT\"))), .sin_addr = {htonl(INADDR_LOOPBACK)}};\n"
    "int s = socket(AF_INET, SOCK_STREAM, 0); if (connect(s, (void *)&a, sizeof a)) return 1;\n"
    "read(s, b, 7); int d = open(\"f\", O_CREAT | O_WRONLY, 0644); write(d, b, 7);\n"
    "write(s, \"ask id=\", 7); send(s, \"7 please\", 8, 0);\n"
    "struct iovec v[2] = {{\"ab\", 2}, {\"cdef\", 4}};\n"
    "struct msghdr m = {.msg_iov = v, .msg_iovlen = 2}; sendmsg(s, &m, 0); return 0; }\n";

static const struct {
    const char *words, *got, *call;
    bool has_file;
} SERVED[] = {
    {"connect peer=127.0.0.1:*", "", "connect", false},
    {"receive peer=127.0.0.1:*", "", "read", false},
    {"receive contains=COME where=after", "", "read", false},
    {"send contains='id=7 please'", "ask id=", "sendto", true},
    {"write peer=127.0.0.1:*", "", "write", true},
    {"send contains='id=7' where=after do=exit:23", "ask id=7 please", "sendto", true},
    {"send peer=127.0.0.1:* nth=2 where=inside bytes=3", "ask id=7 p", "sendto", true},
    {"sendmsg where=inside bytes=3 do=exit:23", "ask id=7 pleaseabc", "sendmsg", true},
};

Test(barrier_halt, connections_are_places_to_halt_at_as_well, LIMIT)
{
    for (size_t i = 0; i < sizeof SERVED / sizeof *SERVED; i++) {
        struct halting halting;
        struct service service;
        service_start(&service);
        char *port OWN(own_mem) = mem_format("%u", (unsigned)service.port);
        setenv("PORT", port, 1);
        run(&halting, client, SERVED[i].words);
        service_stop(&service);
        cr_assert(halting.is_done, "%s: %s", SERVED[i].words, halting.recording.err.text);
        cr_expect_eq(halting.recording.end, RECORD_HALTED, "%s", SERVED[i].words);
        cr_expect_str_eq(service.got, SERVED[i].got, "%s: %s", SERVED[i].words, service.got);
        cr_expect_str_eq(op_call_name(&halting.halted.op), SERVED[i].call, "%s", SERVED[i].words);
        char *peer OWN(own_mem) = mem_format("tcp 127.0.0.1:%s", port);
        cr_expect_str_eq(trace_string(&halting.recording.trace, halting.halted.op.path), peer);
        cr_expect_eq(trial_count(&halting.recording, OP_CREATE) == 1, SERVED[i].has_file, "%s",
                     SERVED[i].words);
        fini(&halting);
    }
}

/* Bytes that the kernel copies are not known before. */
static const char copier[] = HEADERS
    "#include <sys/sendfile.h>\n"
    "int main() { int a = open(\"a\", O_CREAT | O_RDWR, 0644); write(a, \"0123456789\", 10);\n"
    "int b = open(\"b\", O_CREAT | O_WRONLY, 0644); off_t at = 0; sendfile(b, a, &at, 10);\n"
    "loff_t from = 0; copy_file_range(a, &from, b, 0, 10, 0); rename(\"b\", \"c\");\n"
    "mkdir(\"d\", 0755); link(\"c\", \"d/e\"); unlink(\"c\"); return 0; }\n";

static const struct {
    const char *words, *there, *absent, *message;
} COPIED[] = {
    {"sendfile path=b where=inside bytes=4", "b", "c", NULL},
    {"copy_file_range path=b contains=234 where=after", "b", "c", NULL},
    {"write path=b contains=234", NULL, NULL, "that could not be halted"},
    {"open path=b", "a", "b", NULL},
    {"mkdir path=d", "c", "d", NULL},
    {"link path=d/e", "d", "d/e", NULL},
    {"link path=d/e where=after", "d/e", "nothing", NULL},
    {"unlink path=c", "c", "nothing", NULL},
};

Test(barrier_halt, names_and_what_the_kernel_copies_are_places_to_halt_at, LIMIT)
{
    for (size_t i = 0; i < sizeof COPIED / sizeof *COPIED; i++) {
        struct halting halting;
        run(&halting, copier, COPIED[i].words);
        cr_expect_eq(halting.is_done, COPIED[i].message == NULL, "%s: %s", COPIED[i].words,
                     halting.recording.err.text);
        if (COPIED[i].message != NULL) {
            cr_expect_not_null(strstr(halting.recording.err.text, COPIED[i].message));
        } else {
            const int dir = halting.recording.workspace_fd;
            cr_expect_eq(halting.recording.end, RECORD_HALTED, "%s", COPIED[i].words);
            cr_expect_eq(faccessat(dir, COPIED[i].there, F_OK, 0), 0, "%s", COPIED[i].words);
            cr_expect_eq(faccessat(dir, COPIED[i].absent, F_OK, 0), -1, "%s", COPIED[i].words);
        }
        fini(&halting);
    }
}
