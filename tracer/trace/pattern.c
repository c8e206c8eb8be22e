#include "pattern.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

enum { REGEX_TAIL_MAX = 4096, REASON_SIZE = 120 };

struct pattern {
    const char *text;
    size_t size;
    size_t tail_max;
    bool is_regex;
    regex_t regex;
};

bool pattern_new(const struct barrier_text *text, struct pattern **out, struct err *err)
{
    struct pattern *pattern = mem_new(1, sizeof *pattern);
    pattern->text = text->text;
    pattern->size = strlen(text->text);
    pattern->tail_max = text->is_regex ? REGEX_TAIL_MAX : pattern->size - 1;
    pattern->is_regex = text->is_regex;
    if (!text->is_regex) {
        *out = pattern;
        return true;
    }
    const int failed = regcomp(&pattern->regex, text->text, REG_EXTENDED | REG_NEWLINE);
    if (failed != 0) {
        char reason[REASON_SIZE] = "";
        regerror(failed, &pattern->regex, reason, sizeof reason);
        free(pattern);
        return err_usage(err, "/%.200s/ is no extended regular expression: %s", text->text, reason);
    }
    if (regexec(&pattern->regex, "", 0, NULL, 0) == 0) {
        pattern_free(pattern);
        return err_usage(err, "/%.200s/ fits nothing at all as well; it must ask for some bytes",
                         text->text);
    }
    *out = pattern;
    return true;
}

void pattern_free(struct pattern *pattern)
{
    if (pattern == NULL)
        return;
    if (pattern->is_regex)
        regfree(&pattern->regex);
    free(pattern);
}

void pattern_tail_fini(struct pattern_tail *tail)
{
    free(tail->bytes);
    *tail = (struct pattern_tail){0};
}

struct pattern_tail pattern_tail_copy(const struct pattern_tail *tail)
{
    struct pattern_tail copy = *tail;
    copy.bytes = tail->size > 0 ? mem_range(tail->bytes, tail->size) : NULL;
    return copy;
}

/* Bytes of a stream in one piece. They may be NULs. */
struct stretch {
    const char *bytes;
    size_t size;
    bool is_in_line;
};

/* The first match from `from` on; *end is where it ends. */
static bool find(const struct pattern *pattern, const struct stretch *in, size_t from, size_t *end)
{
    if (!pattern->is_regex) {
        const char *at = memmem(in->bytes + from, in->size - from, pattern->text, pattern->size);
        if (at == NULL)
            return false;
        *end = (size_t)(at - in->bytes) + pattern->size;
        return true;
    }
    /* The end of the piece is not the end of a line: more may come. */
    const int flags = REG_STARTEND | REG_NOTEOL | (in->is_in_line ? REG_NOTBOL : 0);
    regmatch_t match = {.rm_so = (regoff_t)from, .rm_eo = (regoff_t)in->size};
    if (regexec(&pattern->regex, in->bytes, 1, &match, flags) != 0 || match.rm_eo == match.rm_so)
        return false;
    *end = (size_t)match.rm_eo;
    return true;
}

/* What stays of a stretch of which [0, from) is matched. */
static void keep(const struct pattern *pattern, const struct stretch *stretch, size_t from,
                 struct pattern_tail *tail)
{
    const size_t left = stretch->size - from;
    const size_t kept = left < pattern->tail_max ? left : pattern->tail_max;
    const char *at = stretch->bytes + stretch->size - kept;
    free(tail->bytes);
    tail->bytes = kept > 0 ? mem_range(at, kept) : NULL;
    tail->size = kept;
    if (at > stretch->bytes)
        tail->is_in_line = at[-1] != '\n';
}

uint64_t pattern_feed(const struct pattern *pattern, struct pattern_tail *tail, const char *piece,
                      size_t size)
{
    uint64_t count = 0;
    size_t from = 0;
    char *joined OWN(own_mem) = mem_new(tail->size + size + 1, 1);
    if (tail->size > 0)
        memcpy(joined, tail->bytes, tail->size);
    if (size > 0)
        memcpy(joined + tail->size, piece, size);
    const struct stretch stretch = {joined, tail->size + size, tail->is_in_line};
    while (find(pattern, &stretch, from, &from))
        count++;
    keep(pattern, &stretch, from, tail);
    return count;
}
