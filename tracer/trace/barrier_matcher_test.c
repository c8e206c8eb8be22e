#include "barrier_matcher.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "example_test.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"

static void output(struct example *example, const char *payload)
{
    example_op(example, (struct op){.kind = OP_OUTPUT, .call = SYS_write}, "stdout", payload);
}

static void message(struct example *example, enum op_kind kind, uint32_t node, const char *payload)
{
    example_op(example,
               (struct op){.kind = (uint8_t)kind,
                           .call = kind == OP_SEND ? SYS_sendto : SYS_recvfrom,
                           .node = node},
               "tcp 127.0.0.1:8080", payload);
}

/* The ops that fit, counted from the worker's first, as text: "0 3 3". Caller frees. */
static char *find(struct example *example, const char *words)
{
    struct barrier barrier;
    struct err err = {0};
    uint32_t *found OWN(own_mem) = NULL;
    size_t count = 0;
    const struct trace *trace = &example->trace;
    cr_assert(barrier_parse(words, &barrier, &err), "%s", err.text);
    cr_assert(barrier_find(&barrier, trace, &found, &count, &err), "%s", err.text);
    char *text = mem_string("");
    for (size_t i = 0; i < count; i++) {
        char *longer = mem_format("%s%s%u", text, i > 0 ? " " : "", found[i] - trace->initial);
        free(text);
        text = longer;
    }
    barrier_fini(&barrier);
    return text;
}

static void expect(struct example *example, const char *words, const char *expected)
{
    char *found OWN(own_mem) = find(example, words);
    cr_expect_str_eq(found, expected, "%s: %s, not %s", words, found, expected);
}

static void begin(struct example *example, uint32_t *log, uint32_t *other)
{
    example_init(example);
    *log = example_create(example, "a.log");
    *other = example_create(example, "other");
    example_begin(example);
}

Test(barrier_matcher, calls_are_found_by_family_name_path_and_peer)
{
    struct example example;
    uint32_t log, other;
    begin(&example, &log, &other);
    example_write(&example, log, 0, "one"); /* 0 */
    example_write(&example, other, 0, "two");
    output(&example, "three");                /* 2 */
    message(&example, OP_SEND, 9, "four");    /* 3 */
    message(&example, OP_RECEIVE, 9, "five"); /* 4 */
    example_sync(&example, log);              /* 5 */
    example_op(&example, (struct op){.kind = OP_SEND, .call = SYS_write, .node = 9}, "unix /run/x",
               "six"); /* 6 */
    example_finish(&example);
    expect(&example, "write", "0 1 2 6");
    expect(&example, "write path=*", "0 1 2");
    expect(&example, "pwrite64", "0 1");
    expect(&example, "write path=*.log", "0");
    expect(&example, "write path=stdout", "2");
    expect(&example, "send", "3 6");
    expect(&example, "send peer=127.0.0.1:80*", "3");
    expect(&example, "send peer='tcp 127.0.0.1:8080'", "3");
    expect(&example, "write peer=/run/x", "6");
    expect(&example, "receive", "4");
    expect(&example, "sync", "5");
    expect(&example, "fsync path=a.*", "5");
    expect(&example, "fdatasync", "");
    example_fini(&example);
}

Test(barrier_matcher, the_workspace_itself_is_found_as_a_dot)
{
    struct example example;
    uint32_t log, other;
    begin(&example, &log, &other);
    example_sync(&example, log);
    example_op(&example, (struct op){.kind = OP_SYNC, .call = SYS_fsync, .node = NODE_ROOT}, "",
               NULL); /* 1 */
    output(&example, "x");
    example_finish(&example);
    expect(&example, "sync path=.", "1");
    expect(&example, "write path=.", "");
    example_fini(&example);
}

Test(barrier_matcher, a_match_over_several_calls_belongs_to_the_one_that_completes_it)
{
    struct example example;
    uint32_t log, other;
    begin(&example, &log, &other);
    example_write(&example, log, 0, "id=1 ACTION_");
    example_write(&example, other, 0, "CONFIRMED"); /* of another file */
    example_write(&example, log, 100, "CONFIRMED"); /* elsewhere in this one */
    example_write(&example, log, 12, "CON");
    example_write(&example, log, 15, "FIRMED\n"); /* 4 */
    output(&example, "ACTION_CONF");
    message(&example, OP_SEND, 9, "IRMED");
    output(&example, "IRMED"); /* 7 */
    example_finish(&example);
    expect(&example, "write contains=ACTION_CONFIRMED", "4 7");
    expect(&example, "write path=*.log contains=ACTION_CONFIRMED", "4");
    expect(&example, "write contains=/[A-Z]+_CONFIRMED$/", "4");
    example_fini(&example);
}

Test(barrier_matcher, a_call_counts_for_each_match_that_it_completes)
{
    struct example example;
    uint32_t log, other;
    begin(&example, &log, &other);
    example_write(&example, log, 0, "x x");
    example_write(&example, log, 3, "xy");
    example_write(&example, other, 0, "zz");
    example_write(&example, other, 2, "z");
    example_finish(&example);
    expect(&example, "write contains=x", "0 0 1");
    expect(&example, "write contains=xx", "1");
    expect(&example, "write contains=/^x/", "0");
    expect(&example, "write contains=/^z/", "2");
    example_fini(&example);
}

Test(barrier_matcher, the_two_directions_of_a_connection_are_two_streams)
{
    struct example example;
    uint32_t log, other;
    begin(&example, &log, &other);
    message(&example, OP_SEND, 9, "ab");
    message(&example, OP_RECEIVE, 9, "cd");
    message(&example, OP_SEND, 9, "cd"); /* 2 */
    message(&example, OP_SEND, 8, "ab"); /* another connection */
    message(&example, OP_SEND, 9, "abcd");
    example_finish(&example);
    expect(&example, "send contains=abcd", "2 4");
    expect(&example, "receive contains=cd where=after", "1");
    example_fini(&example);
}

Test(barrier_matcher, long_writes_are_looked_at_whole)
{
    struct example example;
    uint32_t log, other;
    begin(&example, &log, &other);
    char *text OWN(own_mem) = mem_new(200001, 1);
    memset(text, '.', 200000);
    memcpy(text + 65530, "NEEDLE IN HAY", 13);
    memcpy(text + 199995, "NEEDL", 5);
    example_write(&example, log, 0, text);
    example_write(&example, log, 200000, "E IN HAY");
    example_finish(&example);
    expect(&example, "write contains='NEEDLE IN HAY'", "0 1");
    expect(&example, "write contains='/NEEDLE.IN.HAY/'", "0 1");
    example_fini(&example);
}

Test(barrier_matcher, a_sync_covers_what_was_written_to_its_file_before_it_began)
{
    struct example example;
    uint32_t log, other;
    begin(&example, &log, &other);
    example_write(&example, log, 0, "RECORD 1");
    example_sync(&example, other);
    example_op(&example, (struct op){.kind = OP_SYNC, .call = SYS_fsync, .node = log, .error = 5},
               "a.log", NULL);
    example_sync(&example, log); /* 3 */
    example_sync(&example, log);
    example_write(&example, log, 8, "RECORD 2");
    example_write(&example, log, 16, "RECORD 3");
    const uint32_t sync = example_op(
        &example, (struct op){.kind = OP_SYNC, .call = SYS_fsync, .node = log}, "a.log", NULL);
    example.trace.ops[sync].enter--; /* 7: began before the third was written */
    example_op(&example, (struct op){.kind = OP_SYNC_ALL, .call = SYS_sync}, "", NULL); /* 8 */
    example_finish(&example);
    expect(&example, "sync covers=RECORD", "3 7 8");
    expect(&example, "sync path=*.log covers=RECORD", "3 7 8");
    expect(&example, "sync path=other covers=RECORD", "");
    expect(&example, "fsync covers='RECORD 3'", "");
    expect(&example, "sync covers='/RECORD [23]/'", "7 8");
    example_fini(&example);
}

Test(barrier_matcher, a_renamed_file_is_found_by_both_names)
{
    struct example example;
    uint32_t log, other;
    begin(&example, &log, &other);
    const uint32_t to = strings_add(&example.trace.strings, "new");
    example_op(&example, (struct op){.kind = OP_RENAME, .call = SYS_rename, .path2 = to}, "old",
               NULL);
    example_finish(&example);
    expect(&example, "rename path=old", "0");
    expect(&example, "rename path=new", "0");
    expect(&example, "rename path=neither", "");
    example_fini(&example);
}

Test(barrier_matcher, asking_about_an_op_changes_nothing)
{
    struct example example;
    uint32_t log, other;
    struct barrier barrier;
    struct err err = {0};
    uint64_t times = 9;
    begin(&example, &log, &other);
    example_write(&example, log, 0, "ACTION_");
    example_write(&example, log, 7, "CONFIRMED");
    const struct trace *trace = example_finish(&example);
    const struct barrier_source source = barrier_source_of(trace);
    cr_assert(barrier_parse("write contains=ACTION_CONFIRMED", &barrier, &err));
    struct barrier_matcher *matcher = barrier_matcher_new(&barrier, trace, &source);
    const struct op *first = &trace->ops[trace->initial];
    const struct op *second = first + 1;
    cr_expect(barrier_matcher_ask(matcher, second, &times, &err));
    cr_expect_eq(times, 0);
    cr_expect(barrier_matcher_add(matcher, trace->initial, &times, &err));
    cr_expect_eq(times, 0);
    for (int i = 0; i < 2; i++) {
        cr_expect(barrier_matcher_ask(matcher, second, &times, &err));
        cr_expect_eq(times, 1);
    }
    cr_expect(barrier_matcher_add(matcher, trace->initial + 1, &times, &err));
    cr_expect_eq(times, 1);
    cr_expect(barrier_matcher_ask(matcher, second, &times, &err));
    cr_expect_eq(times, 0);
    barrier_matcher_free(matcher);
    barrier_fini(&barrier);
    example_fini(&example);
}
