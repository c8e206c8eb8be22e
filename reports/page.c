#include "page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report.h"
#include "tracer/base/check.h"
#include "tracer/base/own.h"

enum { WIDTH_LEAST = 40 }; /* below it wrapping makes things worse */

struct page page_of(FILE *to)
{
    struct page page = {.to = to, .is_coloured = report_wants_colour(to)};
    struct winsize window;
    const int fd = fileno(to);
    if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &window) == 0 && window.ws_col >= WIDTH_LEAST)
        page.width = window.ws_col;
    return page;
}

void page_colour(const struct page *page, enum page_colour colour)
{
    if (!page->is_coloured)
        return;
    switch (colour) {
    case PAGE_PLAIN:
        fputs("\x1b[0m", page->to);
        return;
    case PAGE_BOLD:
        fputs("\x1b[1m", page->to);
        return;
    case PAGE_RED:
        fputs("\x1b[1;31m", page->to);
        return;
    case PAGE_GREEN:
        fputs("\x1b[1;32m", page->to);
        return;
    case PAGE_YELLOW:
        fputs("\x1b[1;33m", page->to);
        return;
    }
    UNREACHABLE("page colour");
}

size_t page_columns(const char *text, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; i++)
        columns += (text[i] & 0xc0) != 0x80; /* all bytes of UTF-8 but the continuing ones */
    return columns;
}

/* How many bytes of the text fit into so many columns, cut at a space; a word that is too long for
 * any line stays whole, for it is a path or a command that somebody copies. */
static size_t bytes_that_fit(const char *text, size_t columns)
{
    const size_t all = strlen(text);
    size_t fitting = 0;
    for (size_t end = strcspn(text, " "); end <= all; end += 1 + strcspn(text + end + 1, " ")) {
        if (fitting > 0 && page_columns(text, end) > columns)
            return fitting;
        fitting = end;
        if (end == all)
            break;
    }
    return fitting;
}

void page_paragraph(const struct page *page, const char *lead, const char *text)
{
    const size_t indent = page_columns(lead, strlen(lead));
    fputs(lead, page->to);
    while (page->width > indent) {
        const size_t size = bytes_that_fit(text, page->width - indent);
        fwrite(text, 1, size, page->to);
        text += size;
        if (!*text)
            break;
        text++; /* the space */
        fprintf(page->to, "\n%*s", (int)indent, "");
    }
    fprintf(page->to, "%s\n", text);
}

void page_format(const struct page *page, const char *lead, const char *fmt, ...)
{
    char *text OWN(own_mem) = NULL;
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    page_paragraph(page, lead, text ? text : "out of memory");
}
