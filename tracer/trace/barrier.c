#include "barrier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/base/mem.h"

void barrier_fini(struct barrier *barrier)
{
    free(barrier->name);
    free(barrier->call);
    free(barrier->path);
    free(barrier->peer);
    free(barrier->contains.text);
    free(barrier->covers.text);
    *barrier = (struct barrier){0};
}

static void put_quoted(FILE *to, const char *key, const char *value, const char *slash)
{
    const bool is_plain = strpbrk(value, " \t\n\"'") == NULL;
    const char *mark = is_plain ? "" : strchr(value, '\'') == NULL ? "'" : "\"";
    fprintf(to, " %s=%s%s%s%s%s", key, mark, slash, value, slash, mark);
}

static void put_text(FILE *to, const char *key, const struct barrier_text *text)
{
    if (text->text != NULL)
        put_quoted(to, key, text->text, text->is_regex ? "/" : "");
}

char *barrier_describe(const struct barrier *barrier)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (to == NULL)
        return mem_string(barrier->call);
    fputs(barrier->call, to);
    if (barrier->path != NULL)
        put_quoted(to, "path", barrier->path, "");
    if (barrier->peer != NULL)
        put_quoted(to, "peer", barrier->peer, "");
    put_text(to, "contains", &barrier->contains);
    put_text(to, "covers", &barrier->covers);
    if (barrier->nth != 1)
        fprintf(to, " nth=%" PRIu64, barrier->nth);
    if (barrier->where == BARRIER_INSIDE)
        fprintf(to, " where=inside bytes=%" PRIu64, barrier->bytes);
    if (barrier->where == BARRIER_AFTER)
        fputs(" where=after", to);
    if (barrier->want_sync)
        fputs(" sync", to);
    if (barrier->does_exit)
        fprintf(to, " do=exit:%d", barrier->exit_status);
    fclose(to);
    return text;
}
