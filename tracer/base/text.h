/* text.h - bytes that somebody else chose, made fit for a line that people read.
 *
 * Names, output and arguments of a worker may hold newlines, escape sequences and invalid UTF-8. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A copy in which control bytes, backslashes and invalid UTF-8 are \n, \t, \\ or \xNN; valid UTF-8
 * stays. Caller frees. size SIZE_MAX: up to the NUL. */
char *text_escape(const char *text, size_t size);

/* A command line for people to copy into a shell: quoted where needed. Caller frees. */
char *text_quote(const char *const argv[]);

/* The size of the valid UTF-8 character at text (1 to 4), or 0 when there is none. */
size_t text_utf8(const char *text, size_t size);

#endif
