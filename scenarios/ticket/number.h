/* number.h - a decimal number from a command line, with nothing before or behind it. */
#ifndef TICKET_NUMBER_H
#define TICKET_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* False: the text is no number, or not between the two. */
bool number_read(const char *text, int64_t min, int64_t max, int64_t *out);

#endif
