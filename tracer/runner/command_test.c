#include "command.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

/* The words of a command joined by '|', or the error's text. */
static char *words_of(const char *text)
{
    struct err err = {0};
    struct command command = {0};
    if (!command_parse(text, &command, &err))
        return mem_format("error: %s", err.text);
    char *joined = mem_string("");
    for (char **word = command.argv; *word; word++) {
        char *longer = mem_format("%s%s%s", joined, *joined ? "|" : "", *word);
        free(joined);
        joined = longer;
    }
    command_fini(&command);
    return joined;
}

Test(command, words_are_split_and_quoted_as_a_shell_would_do_it)
{
    cr_assert_eq(chdir("/usr"), 0);
    const struct {
        const char *text, *words;
    } rows[] = {
        {"env", "env"},
        {"  env  a\tb ", "env|a|b"},
        {"env 'pragma integrity_check' \"x y\"", "env|pragma integrity_check|x y"},
        {"env a'b c'd ''", "env|ab cd|"},
        {"env a=b", "env|a=b"},
        {"env x#y a~b", "env|x#y|a~b"},
        {"/bin/sh x", "/bin/sh|x"},
        {"bin/env x", "/usr/bin/env|x"},
        {"./bin/env x", "/usr/bin/env|x"},
        {"env \"$X\"", "/bin/sh|-c|env \"$X\""},
        {"env | cat", "/bin/sh|-c|env | cat"},
        {"env *.c", "/bin/sh|-c|env *.c"},
        {"env #x", "/bin/sh|-c|env #x"},
        {"A=1 env", "/bin/sh|-c|A=1 env"},
        {"cd x", "/bin/sh|-c|cd x"},
        {"exit 3", "/bin/sh|-c|exit 3"},
        {"env a\\ b", "/bin/sh|-c|env a\\ b"},
        {"./bin/env | cat", "/bin/sh|-c|/usr/bin/env | cat"},
        {"A=1 bin/env >x", "/bin/sh|-c|A=1 /usr/bin/env >x"},
        {"'./bin/env' >x", "/bin/sh|-c|'./bin/env' >x"},
        {"", "error: empty command: give the program to start"},
        {"env 'x", "error: command env 'x: a quote is not closed"},
        {"no-such-program", "error: no-such-program: no such program in PATH"},
        {"./none x", "error: /usr/none: no such program"},
        {"/usr x", "error: /usr: cannot be started; try chmod +x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *got OWN(own_mem) = words_of(rows[i].text);
        cr_expect_str_eq(got, rows[i].words, "%s: %s", rows[i].text, got);
    }
}

Test(command, the_program_of_a_plain_name_is_found_in_path)
{
    cr_assert_eq(setenv("PATH", "/none::/bin", 1), 0);
    struct err err = {0};
    struct command command = {0};
    cr_assert(command_parse("cat x", &command, &err), "%s", err.text);
    cr_assert_str_eq(command.program, "/bin/cat");
    cr_assert_str_eq(command.argv[0], "cat");
    command_fini(&command);
}

Test(command, given_words_are_taken_as_they_are)
{
    struct err err = {0};
    struct command command = {0};
    const char *const words[] = {"cat", "a b", "$X", NULL};
    cr_assert(command_of_words(words, &command, &err), "%s", err.text);
    cr_assert_str_eq(command.argv[1], "a b");
    cr_assert_str_eq(command.argv[2], "$X");
    cr_assert_null(command.argv[3]);
    command_fini(&command);
}
