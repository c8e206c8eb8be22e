/* xml.h - text inside XML that stays valid whatever bytes it holds.
 *
 * XML 1.0 has no way to write most control characters, not even as references: they are left out,
 * as the rest of a terminal's escape sequence would say nothing to anybody. Bytes that are no UTF-8
 * become U+FFFD. */
#ifndef REPORTS_XML_H
#define REPORTS_XML_H

#include <stdio.h>

/* Both accept NULL as "". Errors stay in the stream's error flag. */
void xml_text(FILE *to, const char *text);

/* name="text", with a space in front; newlines and tabs survive. */
void xml_attribute(FILE *to, const char *name, const char *text);

#endif
