#include "utf.h"

#include <criterion/criterion.h>
#include <string.h>

struct pair {
    const char *label;
    const char *plain;
    size_t plain_size;
    const char *modified;
    size_t modified_size;
};

static const struct pair pairs[] = {
    {"empty", "", 0, "", 0},
    {"ASCII", "a~\x7f", 3, "a~\x7f", 3},
    {"U+0000", "\0", 1, "\xC0\x80", 2},
    {"U+0080", "\xC2\x80", 2, "\xC2\x80", 2},
    {"U+07FF", "\xDF\xBF", 2, "\xDF\xBF", 2},
    {"U+0800", "\xE0\xA0\x80", 3, "\xE0\xA0\x80", 3},
    {"U+D7FF", "\xED\x9F\xBF", 3, "\xED\x9F\xBF", 3},
    {"U+E000", "\xEE\x80\x80", 3, "\xEE\x80\x80", 3},
    {"U+FFFF", "\xEF\xBF\xBF", 3, "\xEF\xBF\xBF", 3},
    {"U+10000", "\xF0\x90\x80\x80", 4, "\xED\xA0\x80\xED\xB0\x80", 6},
    {"U+1F600", "\xF0\x9F\x98\x80", 4, "\xED\xA0\xBD\xED\xB8\x80", 6},
    {"U+10FFFF", "\xF4\x8F\xBF\xBF", 4, "\xED\xAF\xBF\xED\xBF\xBF", 6},
};

Test(utf, each_text_is_stored_as_javas_writeutf_stores_it)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct pair *pair = &pairs[i];
        uint8_t out[8];
        size_t size = 0;
        const struct utf_text plain = {pair->plain, pair->plain_size};
        cr_expect(utf_is_valid(plain), "%s", pair->label);
        cr_assert(utf_to_modified(plain, out, sizeof out, &size), "%s", pair->label);
        cr_expect_eq(size, pair->modified_size, "%s", pair->label);
        cr_expect_eq(memcmp(out, pair->modified, pair->modified_size), 0, "%s", pair->label);
    }
}

Test(utf, each_stored_text_is_read_back_as_it_was)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct pair *pair = &pairs[i];
        char out[8];
        size_t size = 0;
        const struct utf_text modified = {pair->modified, pair->modified_size};
        cr_assert(utf_from_modified(modified, out, sizeof out, &size), "%s", pair->label);
        cr_expect_eq(size, pair->plain_size, "%s", pair->label);
        cr_expect_eq(memcmp(out, pair->plain, pair->plain_size), 0, "%s", pair->label);
    }
}

struct bad {
    const char *label;
    const char *bytes;
    size_t size;
};

Test(utf, malformed_plain_text_is_refused)
{
    static const struct bad bads[] = {
        {"continuation alone", "\x80", 1},
        {"no such lead", "\xF8\x88\x80\x80\x80", 5},
        {"cut off", "a\xE2\x82", 3},
        {"continuation missing", "\xE2\x82z", 3},
        {"overlong NUL", "\xC0\x80", 2},
        {"overlong slash", "\xE0\x80\xAF", 3},
        {"overlong in four", "\xF0\x8F\xBF\xBF", 4},
        {"surrogate", "\xED\xA0\x80", 3},
        {"a pair of surrogates", "\xED\xA0\xBD\xED\xB8\x80", 6},
        {"above U+10FFFF", "\xF4\x90\x80\x80", 4},
    };
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        uint8_t out[16];
        size_t size = 77;
        const struct utf_text text = {bads[i].bytes, bads[i].size};
        cr_expect(!utf_is_valid(text), "%s", bads[i].label);
        cr_expect(!utf_to_modified(text, out, sizeof out, &size), "%s", bads[i].label);
        cr_expect_eq(size, 77, "%s", bads[i].label);
    }
}

Test(utf, what_writeutf_never_writes_is_refused)
{
    static const struct bad bads[] = {
        {"NUL as one byte", "\0", 1},
        {"four bytes", "\xF0\x9F\x98\x80", 4},
        {"high surrogate alone", "\xED\xA0\xBD", 3},
        {"low surrogate alone", "\xED\xB8\x80", 3},
        {"two high ones", "\xED\xA0\xBD\xED\xA0\xBD", 6},
        {"a pair cut off", "\xED\xA0\xBD\xED\xB8", 5},
        {"overlong", "\xC1\x81", 2},
    };
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        char out[16];
        size_t size = 77;
        const struct utf_text text = {bads[i].bytes, bads[i].size};
        cr_expect(!utf_from_modified(text, out, sizeof out, &size), "%s", bads[i].label);
        cr_expect_eq(size, 77, "%s", bads[i].label);
    }
}

Test(utf, a_result_that_just_fits_is_written_and_one_byte_more_is_refused)
{
    uint8_t out[7] = {[6] = 0x55};
    size_t size = 0;
    const struct utf_text smile = {"\xF0\x9F\x98\x80", 4};
    cr_expect(utf_to_modified(smile, out, 6, &size));
    cr_expect_eq(out[6], 0x55);
    cr_expect(!utf_to_modified(smile, out, 5, &size));
    cr_expect(!utf_from_modified((struct utf_text){"abc", 3}, (char *)out, 2, &size));
}
