/* main.c - finds the verb, reads its options, runs it, prints the error, picks the exit status. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "help.h"
#include "interrupt.h"
#include "options.h"

/* A descriptor that brink opens must never become a standard one by accident: what is closed at our
 * start is /dev/null from now on. */
static bool open_standard(void)
{
    for (;;) {
        const int fd = open("/dev/null", O_RDWR);
        if (fd < 0)
            return false;
        if (fd <= STDERR_FILENO)
            continue;
        close(fd);
        return true;
    }
}

/* An error is one line, also when it carries what a command of the user has printed. */
static int fail(const struct err *err)
{
    char line[sizeof err->text] = "";
    size_t size = 0;
    for (const char *at = err->text; *at != '\0' && size + 1 < sizeof line; at++) {
        line[size] = *at;
        if (iscntrl((unsigned char)*at))
            line[size] = ' ';
        size++;
    }
    while (size > 0 && line[size - 1] == ' ')
        size--;
    fflush(stdout);
    fprintf(stderr, "brink: %.*s\n", (int)size, line);
    return err->kind == ERR_USAGE ? EXIT_USAGE : EXIT_HARNESS;
}

/* What was printed must have arrived: a full disk under `brink trace > file` is an error. */
static int finish(int status)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return status;
    struct err err = {0};
    err_system(&err, "write to stdout");
    return fail(&err);
}

static int run_verb(const struct verb *verb, int argc, const char *const argv[])
{
    struct settings settings;
    struct err err = {0};
    int status = EXIT_HARNESS;
    settings_init(&settings);
    bool is_done = options_parse(verb, argc, argv, &settings, &err);
    if (is_done && settings.want_help) {
        help_verb(stdout, verb);
        status = EXIT_HELD;
    } else if (is_done) {
        interrupt_install();
        is_done = verb->run(&settings, &status, &err);
    }
    settings_fini(&settings);
    return is_done ? finish(status) : fail(&err);
}

static int unknown_verb(const char *word)
{
    struct err err = {0};
    const char *meant = verb_nearest(word);
    if (word[0] == '-') {
        err_usage(&err, "%s: the verb comes first: brink VERB [options]; see brink help", word);
    } else if (meant != NULL) {
        err_usage(&err, "%s: no such verb; did you mean brink %s?", word, meant);
    } else {
        err_usage(&err, "%s: no such verb; see brink help", word);
    }
    return fail(&err);
}

static int not_yet(const struct verb *verb)
{
    struct err err = {0};
    err_usage(&err, "%s: not in this version", verb->name);
    return fail(&err);
}

static int help(const char *word)
{
    if (word == NULL) {
        help_brink(stdout);
        return finish(EXIT_HELD);
    }
    const struct verb *verb = verb_find(word);
    if (verb == NULL)
        return unknown_verb(word);
    help_verb(stdout, verb);
    return finish(EXIT_HELD);
}

int main(int argc, char **argv)
{
    if (!open_standard())
        return EXIT_HARNESS;
    if (argc < 2) {
        help_brink(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        printf("brink %s\n", BRINK_VERSION);
        return finish(EXIT_HELD);
    }
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    const struct verb *verb = verb_find(word);
    if (verb == NULL)
        return unknown_verb(word);
    if (verb->bit == 0)
        return not_yet(verb);
    return run_verb(verb, argc - 2, (const char *const *)argv + 2);
}
