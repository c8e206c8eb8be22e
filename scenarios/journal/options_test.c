#include "options.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 12 };

static bool read_words(struct options *options, const char *const words[WORDS_MAX],
                       struct fail *fail)
{
    char *argv[WORDS_MAX + 1] = {0};
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = strdup(words[argc]);
    const bool is_read = options_read(options, argc, argv, fail);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return is_read;
}

Test(options, a_put_with_all_options_is_read)
{
    static const char *const words[WORDS_MAX] = {
        "journal", "--file", "f", "--format", "1", "--lock-timeout", "0.25", "put", "k-1", "--x"};
    struct options options;
    struct fail fail = {0};
    cr_assert(read_words(&options, words, &fail), "%s", fail.text);
    cr_expect_eq(options.command, COMMAND_PUT);
    cr_expect_eq(options.lock_timeout_ms, 250);
    cr_expect_eq(options.key.size, 3);
    cr_expect_eq(options.body.size, 3, "a body may look like an option");
}

struct wrong {
    const char *words[WORDS_MAX];
    const char *message;
};

Test(options, a_wrong_command_line_is_refused_by_what_is_wrong_with_it)
{
#define SIXTEEN "0123456789abcdef"
    static const struct wrong wrongs[] = {
        {{"journal"}, "a command is missing"},
        {{"journal", "list"}, "--file is missing"},
        {{"journal", "--file", "", "list"}, "--file wants a name"},
        {{"journal", "--file", "f", "drop"}, "unknown command"},
        {{"journal", "--file", "f", "list", "x"}, "take no arguments"},
        {{"journal", "--file", "f", "--formal", "1", "list"}, "unknown option"},
        {{"journal", "--file"}, "without its value"},
        {{"journal", "--file", "f", "--format", "2", "list"}, "--format can only be 1"},
        {{"journal", "--file", "f", "--lock-timeout", "-1", "list"}, "--lock-timeout wants"},
        {{"journal", "--file", "f", "--lock-timeout", "inf", "list"}, "--lock-timeout wants"},
        {{"journal", "--file", "f", "--lock-timeout", "", "list"}, "--lock-timeout wants"},
        {{"journal", "--file", "f", "--lock-timeout", "1.2.3", "list"}, "--lock-timeout wants"},
        {{"journal", "--file", "f", "--lock-timeout", "2000000", "list"}, "--lock-timeout wants"},
        {{"journal", "--file", "f", "put", "k"}, "put wants KEY and BODY"},
        {{"journal", "--file", "f", "put", "k", "b", "c"}, "put wants KEY and BODY"},
        {{"journal", "--file", "f", "put", "", "b"}, "KEY must be"},
        {{"journal", "--file", "f", "put", "a b", "b"}, "KEY must be"},
        {{"journal", "--file", "f", "put", "\xC3\xA9", "b"}, "KEY must be"},
        {{"journal", "--file", "f", "put", SIXTEEN SIXTEEN SIXTEEN SIXTEEN "0", "b"},
         "KEY must be"},
        {{"journal", "--file", "f", "put", "k", "\xff"}, "BODY must be valid UTF-8"},
        {{"journal", "--file", "f", "put", "k", "\xED\xA0\x80"}, "BODY must be valid UTF-8"},
    };
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        struct options options;
        struct fail fail = {0};
        cr_expect(!read_words(&options, wrongs[i].words, &fail), "%s", wrongs[i].message);
        cr_expect_eq(fail.code, EXIT_CODE_USAGE);
        cr_expect_not_null(strstr(fail.text, wrongs[i].message), "%s", fail.text);
    }
}

Test(options, the_longest_key_and_body_are_taken_and_one_byte_more_is_not)
{
    static char body[4098];
    memset(body, 'b', 4096);
    const char *words[WORDS_MAX] = {
        "journal", "--file", "f", "put", SIXTEEN SIXTEEN SIXTEEN SIXTEEN, body};
    struct options options;
    struct fail fail = {0};
    cr_expect(read_words(&options, words, &fail), "%s", fail.text);
    body[4096] = 'b';
    cr_expect(!read_words(&options, words, &fail));
    cr_expect_not_null(strstr(fail.text, "BODY must be at most 4096 bytes"), "%s", fail.text);
}
