#include "help.h"

#include <string.h>

#include "options.h"

enum { NAME_COLUMNS = 22, SUMMARY_COLUMNS = 10 };

void help_brink(FILE *to)
{
    fputs("usage: brink VERB [options] [-- WORKER [ARG...]]\n"
          "\n"
          "Records one run of any program, works out every state that a crash could have left\n"
          "behind, starts its recovery on each, and names the system call at fault.\n"
          "\n"
          "verbs:\n",
          to);
    size_t count = 0;
    const struct verb *table = verb_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (table[i].bit != 0)
            fprintf(to, "  %-*s%s\n", SUMMARY_COLUMNS, table[i].name, table[i].summary);
    }
    fputs("\nnot in this version:", to);
    for (size_t i = 0; i < count; i++) {
        if (table[i].bit == 0)
            fprintf(to, " %s", table[i].name);
    }
    fputs("\n\n"
          "  brink help VERB      what a verb does, its options, examples\n"
          "  brink --version      the version\n"
          "\n"
          "try:\n"
          "  brink explore -- sh -c 'echo new > file.tmp && mv file.tmp file'\n"
          "\n"
          "exit status: 0 everything held; 1 violations were found; 2 the input is wrong;\n"
          "3 brink could not do its job\n",
          to);
}

/* The lines of a help text, all but the first indented to its column. */
static void print_lines(FILE *to, const char *text)
{
    for (const char *at = text;; at++) {
        const size_t size = strcspn(at, "\n");
        fprintf(to, "%.*s\n", (int)size, at);
        at += size;
        if (*at == '\0')
            return;
        fprintf(to, "%*s", NAME_COLUMNS + 2, "");
    }
}

static void print_option(FILE *to, const struct option *option)
{
    char left[NAME_COLUMNS * 2] = "";
    const char *value = option->value != NULL ? option->value : "";
    const char *space = option->value != NULL ? " " : "";
    if (option->letter != 0) {
        snprintf(left, sizeof left, "-%c, --%s%s%s", option->letter, option->name, space, value);
    } else {
        snprintf(left, sizeof left, "--%s%s%s", option->name, space, value);
    }
    fprintf(to, "  %-*s", NAME_COLUMNS, left);
    print_lines(to, option->help);
}

static void print_group(FILE *to, const struct verb *verb, enum option_group group)
{
    static const char *const titles[GROUP_COUNT] = {
        [GROUP_WORKSPACE] = "workspace",
        [GROUP_RECORDING] = "running",
        [GROUP_EXPLORING] = "states",
        [GROUP_OUTPUT] = "output",
    };
    size_t count = 0;
    const struct option *table = option_table(&count);
    bool has_title = false;
    for (size_t i = 0; i < count; i++) {
        const struct option *option = &table[i];
        if ((option->verbs & verb->bit) == 0 || option->kind == OPTION_LATER ||
            option->group != group)
            continue;
        if (!has_title)
            fprintf(to, "\n%s:\n", titles[group]);
        has_title = true;
        print_option(to, option);
    }
}

void help_verb(FILE *to, const struct verb *verb)
{
    if (verb->bit == 0) {
        fprintf(to, "brink %s: %s\nNot in this version.\n", verb->name, verb->summary);
        return;
    }
    fprintf(to, "usage: brink %s %s\n\n%s\n", verb->name, verb->usage, verb->about);
    for (int group = 0; group < GROUP_COUNT; group++)
        print_group(to, verb, (enum option_group)group);
    fprintf(to, "\nexamples:\n%s", verb->examples);
}
