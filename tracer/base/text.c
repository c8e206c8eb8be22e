#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* The longest escape, \xNN, is four bytes. */
enum { ESCAPE_MAX = 4 };

struct utf8_class {
    unsigned char mask, lead; /* of the first byte */
    uint8_t size;
    uint32_t least; /* smaller characters have a shorter form: overlong, and so invalid */
};

static bool is_valid_character(uint32_t character)
{
    const bool is_surrogate = character >= 0xd800 && character <= 0xdfff;
    const bool is_c1_control = character >= 0x80 && character <= 0x9f; /* terminals obey them */
    return !is_surrogate && !is_c1_control && character <= 0x10ffff;
}

size_t text_utf8(const char *text, size_t size)
{
    static const struct utf8_class classes[] = {{0x80, 0x00, 1, 0},
                                                {0xe0, 0xc0, 2, 0x80},
                                                {0xf0, 0xe0, 3, 0x800},
                                                {0xf8, 0xf0, 4, 0x10000}};
    const unsigned char *bytes = (const unsigned char *)text;
    if (size == 0)
        return 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const struct utf8_class *class = &classes[i];
        if ((bytes[0] & class->mask) != class->lead)
            continue;
        if (class->size > size)
            return 0;
        uint32_t character = bytes[0] & (unsigned char)~class->mask;
        for (size_t at = 1; at < class->size; at++) {
            if ((bytes[at] & 0xc0) != 0x80)
                return 0;
            character = character << 6 | (bytes[at] & 0x3f);
        }
        return character >= class->least && is_valid_character(character) ? class->size : 0;
    }
    return 0;
}

/* Writes the escape of one byte; returns its end. */
static char *put_escape(char *to, unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    static const char plain[] = "\n\t\r\\";
    static const char letters[] = "ntr\\";
    const char *found = byte ? strchr(plain, byte) : NULL;
    *to++ = '\\';
    if (found) {
        *to++ = letters[found - plain];
        return to;
    }
    *to++ = 'x';
    *to++ = digits[byte >> 4];
    *to++ = digits[byte & 15];
    return to;
}

char *text_escape(const char *text, size_t size)
{
    if (size == SIZE_MAX)
        size = strlen(text);
    char *copy = mem_new(size * ESCAPE_MAX + 1, 1);
    char *to = copy;
    for (size_t at = 0; at < size;) {
        const unsigned char byte = (unsigned char)text[at];
        const size_t whole = text_utf8(text + at, size - at);
        if (whole == 0 || byte < ' ' || byte == 0x7f || byte == '\\') {
            to = put_escape(to, byte);
            at++;
            continue;
        }
        memcpy(to, text + at, whole);
        to += whole;
        at += whole;
    }
    *to = '\0';
    return copy;
}

static bool is_plain_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-./=:,@%+";
    return *word && word[strspn(word, plain)] == '\0';
}

/* Whether single quotes alone make the word fit for a line: no control bytes, valid UTF-8. */
static bool is_printable(const char *word)
{
    char *escaped = text_escape(word, SIZE_MAX);
    size_t backslashes = 0;
    for (const char *at = word; *at; at++)
        backslashes += *at == '\\';
    const bool is_same = strlen(escaped) == strlen(word) + backslashes;
    free(escaped);
    return is_same;
}

/* $'...': the only quotes of a shell in which any byte can stand. The hex escape takes at most two
 * digits in bash, zsh and ksh, so what follows does not matter. */
static char *quote_bytes(const char *word)
{
    char *escaped = text_escape(word, SIZE_MAX);
    const size_t size = strlen(escaped);
    char *quoted = mem_new(size * 2 + 4, 1);
    char *to = quoted;
    *to++ = '$';
    *to++ = '\'';
    for (size_t at = 0; at < size; at++) {
        if (escaped[at] == '\'')
            *to++ = '\\';
        *to++ = escaped[at];
    }
    *to++ = '\'';
    *to = '\0';
    free(escaped);
    return quoted;
}

static char *quote_word(const char *word)
{
    if (is_plain_word(word))
        return mem_string(word);
    if (!is_printable(word))
        return quote_bytes(word);
    char *quoted = mem_new(strlen(word) * 4 + 3, 1); /* a quote becomes '\'' */
    char *to = quoted;
    *to++ = '\'';
    for (; *word; word++) {
        if (*word != '\'') {
            *to++ = *word;
            continue;
        }
        memcpy(to, "'\\''", 4);
        to += 4;
    }
    *to++ = '\'';
    *to = '\0';
    return quoted;
}

char *text_quote(const char *const argv[])
{
    char *line = mem_string("");
    for (size_t i = 0; argv[i]; i++) {
        char *word = quote_word(argv[i]);
        char *longer = mem_format("%s%s%s", line, i ? " " : "", word);
        free(word);
        free(line);
        line = longer;
    }
    return line;
}
