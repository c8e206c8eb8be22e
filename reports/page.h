/* page.h - lines for people: wrapped at the terminal's width, coloured where that is wanted.
 *
 * On anything but a terminal no line is wrapped or coloured, so that grep and logs see whole ones.
 * What comes from the worker must be escaped before (base/text.h): a page passes bytes on. */
#ifndef REPORTS_PAGE_H
#define REPORTS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tracer/base/attr.h"

struct page {
    FILE *to;
    size_t width; /* columns; 0: lines are not wrapped */
    bool is_coloured;
};

enum page_colour { PAGE_PLAIN, PAGE_BOLD, PAGE_RED, PAGE_GREEN, PAGE_YELLOW };

struct page page_of(FILE *to);

/* A paragraph: `lead` stands at its beginning ("  note: "), and what is wrapped goes below the text
 * that follows it. */
void page_paragraph(const struct page *page, const char *lead, const char *text);
void page_format(const struct page *page, const char *lead, const char *fmt, ...) PRINTF(3, 4);

/* From here to page_colour(page, PAGE_PLAIN). */
void page_colour(const struct page *page, enum page_colour colour);

/* Columns that a text takes: its characters. */
size_t page_columns(const char *text, size_t size);

#endif
