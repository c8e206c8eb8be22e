#include "text.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(text, bytes_that_could_forge_a_line_are_escaped_and_all_else_stays)
{
    static const struct {
        const char *label, *raw, *shown;
    } rows[] = {
        {"plain", "a b", "a b"},
        {"newline", "a\nb\r\t", "a\\nb\\r\\t"},
        {"backslash", "a\\n", "a\\\\n"},
        {"escape sequence", "\x1b[31m", "\\x1b[31m"},
        {"delete", "\x7f", "\\x7f"},
        {"valid UTF-8", "é€😀", "é€😀"},
        {"no UTF-8", "\xff\xfe", "\\xff\\xfe"},
        {"cut short", "\xe2\x82", "\\xe2\\x82"},
        {"overlong", "\xc0\xaf", "\\xc0\\xaf"},
        {"surrogate", "\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"beyond Unicode", "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
        {"C1 control, an escape sequence to some terminals", "\xc2\x9b", "\\xc2\\x9b"},
        {"empty", "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *shown = text_escape(rows[i].raw, SIZE_MAX);
        cr_expect_str_eq(shown, rows[i].shown, "%s: %s", rows[i].label, shown);
        free(shown);
    }
}

Test(text, a_nul_inside_a_sized_text_is_escaped)
{
    char *shown = text_escape("a\0b", 3);
    cr_expect_str_eq(shown, "a\\x00b");
    free(shown);
}

Test(text, a_character_that_goes_past_the_size_is_none)
{
    cr_expect_eq(text_utf8("€", 3), 3);
    cr_expect_eq(text_utf8("€", 2), 0);
    cr_expect_eq(text_utf8("a", 0), 0);
}

Test(text, a_quoted_command_line_is_what_a_shell_reads_back, .timeout = 10)
{
    static const char *const words[] = {"a",      "b c",      "",  "it's", "$HOME", "a\nb",
                                        "\xff''", "back\\nd", "é", "*",    "~",     NULL};
    char *line = text_quote(words);
    char command[512];
    cr_assert_null(strpbrk(line, "\n\xff"), "it is one printable line: %s", line);
    free(line);
    const char *const quoted[] = {"bash", "-c", "printf '%s|' \"$@\"", "x", NULL};
    char *head = text_quote(quoted);
    char *tail = text_quote(words);
    snprintf(command, sizeof command, "%s %s", head, tail);
    free(head);
    free(tail);
    const char *const outer[] = {"bash", "-c", command, NULL};
    char *whole = text_quote(outer);
    FILE *shell = popen(whole, "r");
    free(whole);
    char got[256] = {0};
    const size_t size = fread(got, 1, sizeof got - 1, shell);
    cr_expect_eq(pclose(shell), 0);
    cr_expect_gt(size, 0);
    cr_expect_str_eq(got, "a|b c||it's|$HOME|a\nb|\xff''|back\\nd|é|*|~|");
}
