#include "xml.h"

#include <string.h>

#include "tracer/base/text.h"

/* What must not stand as it is in text or attribute; NULL when the byte may. */
static const char *reference_of(char byte, bool is_attribute)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\r': /* a parser would read it as a newline */
        return "&#13;";
    case '\n':
        return is_attribute ? "&#10;" : NULL;
    case '\t':
        return is_attribute ? "&#9;" : NULL;
    default:
        return NULL;
    }
}

static bool is_left_out(unsigned char byte)
{
    return (byte < ' ' && byte != '\n' && byte != '\t' && byte != '\r') || byte == 0x7f;
}

/* U+FFFE and U+FFFF are valid UTF-8 and yet not allowed. */
static bool is_noncharacter(const char *text, size_t size)
{
    return size == 3 && memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] >= 0xbe;
}

static void put(FILE *to, const char *text, bool is_attribute)
{
    size_t left = text ? strlen(text) : 0;
    while (left > 0) {
        const size_t whole = text_utf8(text, left);
        const size_t size = whole ? whole : 1;
        const char *reference = reference_of(*text, is_attribute);
        if (whole == 0 || is_noncharacter(text, whole)) {
            fputs("\xef\xbf\xbd", to);
        } else if (reference) {
            fputs(reference, to);
        } else if (!is_left_out((unsigned char)*text)) {
            fwrite(text, 1, size, to);
        }
        text += size;
        left -= size;
    }
}

void xml_text(FILE *to, const char *text)
{
    put(to, text, false);
}

void xml_attribute(FILE *to, const char *name, const char *text)
{
    fprintf(to, " %s=\"", name);
    put(to, text, true);
    fputc('"', to);
}
