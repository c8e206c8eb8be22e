/* utf.h - UTF-8, and the modified UTF-8 in which Java's writeUTF stores strings.
 *
 * Modified UTF-8 differs in two ways: U+0000 is the two bytes C0 80, and a character above U+FFFF
 * is a pair of surrogates of three bytes each, so that U+1F600 takes six. Both directions are
 * strict: overlong forms, lone surrogates, values above U+10FFFF and cut-off sequences are refused
 * in the input, so that a string has exactly one encoding on either side. */
#ifndef JOURNAL_UTF_H
#define JOURNAL_UTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct utf_text {
    const char *bytes; /* may contain any byte, also NUL: not a C string */
    size_t size;
};

bool utf_is_valid(struct utf_text plain);

/* Both write at most `room` bytes to out and set *size to what they wrote. False: the input is
 * malformed, or the result does not fit; *size is untouched then. */
bool utf_to_modified(struct utf_text plain, uint8_t *out, size_t room, size_t *size);
bool utf_from_modified(struct utf_text modified, char *out, size_t room, size_t *size);

#endif
