#include "promises.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracer/base/file.h"
#include "tracer/base/folder.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/trace/example_test.h"

static char folder[] = "/tmp/promises-test-XXXXXX";
static struct example example;
static const struct trace *trace;
static struct promises promises;

static void send_op(const char *payload)
{
    example_op(&example, (struct op){.kind = OP_SEND, .call = SYS_sendto}, "tcp 127.0.0.1:80",
               payload);
}

static void make(void)
{
    struct err err = {0};
    cr_assert(mkdtemp(folder));
    example_init(&example);
    example_begin(&example);
    example_promise(&example, "one\n"); /* op 0 */
    send_op("hello \"you\"\n");
    example_promise(&example, "two\n");
    send_op("\xff\xfe"
            "abc");
    send_op("\xc3\xa9");
    trace = example_finish(&example);
    cr_assert(promises_open(&promises, trace, folder, true, &err), "%s", err.text);
}

static void unmake(void)
{
    struct err err = {0};
    promises_close(&promises);
    example_fini(&example);
    const int fd OWN(own_fd) = open("/tmp", O_RDONLY | O_DIRECTORY);
    cr_assert(folder_remove(fd, folder + strlen("/tmp/"), &err), "%s", err.text);
}

TestSuite(promises, .init = make, .fini = unmake, .timeout = 20);

static void set(uint64_t acked, uint32_t sent)
{
    struct err err = {0};
    const struct trace_promised promised = {acked, sent};
    cr_assert(promises_set(&promises, &promised, false, &err), "%s", err.text);
}

static void expect(const char *path, const char *expected)
{
    struct err err = {0};
    char *text OWN(own_mem) = NULL;
    size_t size = 0;
    cr_assert(file_read(path, 1000, &text, &size, &err), "%s", err.text);
    cr_assert_str_eq(text, expected);
}

static const char lines[] =
    "{\"op\":1,\"peer\":\"tcp 127.0.0.1:80\",\"text\":\"hello \\\"you\\\"\\n\"}\n"
    "{\"op\":3,\"peer\":\"tcp 127.0.0.1:80\",\"base64\":\"//5hYmM=\"}\n"
    "{\"op\":4,\"peer\":\"tcp 127.0.0.1:80\",\"text\":\"\xc3\xa9\"}\n";

Test(promises, files_are_there_and_empty_at_the_start)
{
    expect(promises.acked.path, "");
    expect(promises.sent.path, "");
}

Test(promises, they_grow_and_are_cut)
{
    set(8, 3);
    expect(promises.acked.path, "one\ntwo\n");
    expect(promises.sent.path, lines);
    set(4, 0);
    expect(promises.acked.path, "one\n");
    expect(promises.sent.path, "");
    set(6, 1);
    expect(promises.acked.path, "one\ntw");
    char *first OWN(own_mem) = mem_range(lines, (size_t)(strchr(lines, '\n') + 1 - lines));
    expect(promises.sent.path, first);
}

static void scribble(const char *path)
{
    const int fd OWN(own_fd) = open(path, O_WRONLY);
    cr_assert_eq(pwrite(fd, "X", 1, 0), 1);
}

Test(promises, a_store_of_a_command_into_stdouts_file_is_undone)
{
    set(8, 1);
    scribble(promises.acked.path);
    set(8, 1);
    expect(promises.acked.path, "one\ntwo\n");
}

Test(promises, a_store_of_a_command_into_the_messages_file_is_undone)
{
    set(8, 3);
    scribble(promises.sent.path);
    set(8, 3);
    expect(promises.sent.path, lines);
}

Test(promises, a_file_that_became_a_folder_is_a_file_again)
{
    set(8, 3);
    cr_assert_eq(unlink(promises.sent.path), 0);
    cr_assert_eq(mkdir(promises.sent.path, 0700), 0);
    set(4, 3);
    expect(promises.acked.path, "one\n");
    expect(promises.sent.path, lines);
}

Test(promises, what_a_command_put_beside_them_is_gone)
{
    char *more OWN(own_mem) = mem_format("%s/more", folder);
    set(8, 1);
    cr_assert_eq(mkdir(more, 0700), 0);
    set(8, 1);
    cr_assert_eq(access(more, F_OK), -1);
}
