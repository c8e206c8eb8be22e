#include "command.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

/* Words that only a shell understands, when they come first. */
static const char *const shell_words[] = {
    ".",        ":",     "alias",  "bg",    "break",  "case", "cd",       "command",
    "continue", "eval",  "exec",   "exit",  "export", "fc",   "fg",       "for",
    "getopts",  "hash",  "if",     "jobs",  "local",  "read", "readonly", "return",
    "set",      "shift", "source", "times", "trap",   "type", "ulimit",   "umask",
    "unalias",  "unset", "until",  "wait",  "while",
};

static bool is_shell_word(const char *word)
{
    for (size_t i = 0; i < sizeof shell_words / sizeof *shell_words; i++) {
        if (strcmp(shell_words[i], word) == 0)
            return true;
    }
    return false;
}

/* The words of a command, as far as they can be found without a shell. */
struct words {
    char **items;
    size_t count, capacity;
    char *word; /* being read */
    size_t size, word_capacity;
    bool has_word;
    bool needs_shell;
};

static void add_char(struct words *words, char c)
{
    mem_grow(&words->word, &words->word_capacity, words->size + 2, 1);
    words->word[words->size++] = c;
    words->word[words->size] = '\0';
    words->has_word = true;
}

static void add_item(struct words *words, char *item)
{
    mem_grow(&words->items, &words->capacity, words->count + 1, sizeof *words->items);
    words->items[words->count++] = item;
}

static void end_word(struct words *words)
{
    if (!words->has_word)
        return;
    add_item(words, words->size ? mem_range(words->word, words->size) : mem_string(""));
    words->size = 0;
    words->has_word = false;
}

/* Reads a quoted part from the quote on; gives the place after it, or NULL when it is not closed.
 */
static const char *take_quoted(struct words *words, const char *at)
{
    const char quote = *at++;
    words->has_word = true;
    for (; *at && *at != quote; at++) {
        if (quote == '"' && strchr("$`\\", *at))
            words->needs_shell = true;
        add_char(words, *at);
    }
    return *at ? at + 1 : NULL;
}

static bool is_special(const struct words *words, char c)
{
    if (strchr("|&;<>()$`\\*?[{}!\n", c))
        return true;
    if (strchr("~#", c))
        return !words->has_word;
    return c == '=' && words->count == 0; /* an assignment in front of the command */
}

static bool split(const char *text, struct words *words, struct err *err)
{
    const char *at = text;
    while (*at) {
        if (*at == ' ' || *at == '\t') {
            end_word(words);
            at++;
        } else if (*at == '\'' || *at == '"') {
            at = take_quoted(words, at);
            if (!at)
                return err_usage(err, "command %.120s: a quote is not closed", text);
        } else {
            words->needs_shell |= is_special(words, *at);
            add_char(words, *at++);
        }
    }
    end_word(words);
    if (words->count == 0)
        return err_usage(err, "empty command: give the program to start");
    words->needs_shell |= is_shell_word(words->items[0]);
    return true;
}

static void own_words(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    free(words->word);
}

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

static char *in_current_folder(const char *path)
{
    char *here OWN(own_mem) = getcwd(NULL, 0);
    if (!here)
        return mem_string(path);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return mem_format("%s/%s", strcmp(here, "/") == 0 ? "" : here, path);
}

/* The program in PATH, or NULL. */
static char *search_path(const char *name)
{
    const char *folders = getenv("PATH");
    if (!folders)
        folders = "/usr/local/bin:/usr/bin:/bin";
    while (*folders) {
        const size_t size = strcspn(folders, ":");
        char *path OWN(own_mem) = mem_format("%.*s/%s", (int)size, folders, name);
        if (size > 0 && is_program(path)) {
            char *found = path;
            path = NULL;
            return found;
        }
        folders += size + (folders[size] == ':');
    }
    return NULL;
}

/* Caller frees *out. */
static bool find_program(const char *word, char **out, struct err *err)
{
    const bool is_path = strchr(word, '/') != NULL;
    char *path OWN(own_mem) = !is_path       ? search_path(word)
                              : *word == '/' ? mem_string(word)
                                             : in_current_folder(word);
    if (!path)
        return err_usage(err, "%.160s: no such program in PATH", word);
    if (access(path, F_OK) < 0)
        return err_usage(err, "%.160s: no such program", path);
    if (!is_program(path))
        return err_usage(err, "%.160s: cannot be started; try chmod +x", path);
    *out = path;
    path = NULL;
    return true;
}

static bool is_relative_path(const char *word, size_t size)
{
    return size > 0 && *word != '/' && memchr(word, '/', size);
}

static bool is_assignment(const char *word, size_t size)
{
    size_t name = 0;
    while (name < size && (isalnum((unsigned char)word[name]) || word[name] == '_'))
        name++;
    return name > 0 && name < size && word[name] == '=';
}

/* For the shell: the text with a relative program in front replaced by its absolute path. Only a
 * plain word is, for what the shell makes of any other only the shell knows. */
static char *shell_text(const char *text)
{
    const char *word = text;
    size_t size = 0;
    for (;; word += size) {
        word += strspn(word, " \t");
        size = strcspn(word, " \t\n'\"|&;<>()$`\\*?[{}");
        if (!is_assignment(word, size))
            break;
        if (word[size] && !strchr(" \t", word[size]))
            return mem_string(text);
    }
    if (!is_relative_path(word, size) || (word[size] && strchr("'\"$`\\*?[{}", word[size])))
        return mem_string(text);
    char *relative OWN(own_mem) = mem_range(word, size);
    char *path OWN(own_mem) = in_current_folder(relative);
    const char *const quoted_argv[] = {path, NULL};
    char *quoted OWN(own_mem) = text_quote(quoted_argv);
    return mem_format("%.*s%s%s", (int)(word - text), text, quoted, word + size);
}

static void use_shell(const char *text, struct command *out)
{
    out->program = mem_string("/bin/sh");
    out->argv = mem_new(4, sizeof *out->argv);
    out->argv[0] = mem_string("/bin/sh");
    out->argv[1] = mem_string("-c");
    out->argv[2] = shell_text(text);
}

bool command_of_words(const char *const *argv, struct command *out, struct err *err)
{
    if (!argv[0] || !*argv[0])
        return err_usage(err, "empty command: give the program to start");
    char *program = NULL;
    if (!find_program(argv[0], &program, err))
        return false;
    size_t count = 0;
    while (argv[count])
        count++;
    *out = (struct command){.program = program};
    out->text = text_quote(argv);
    out->argv = mem_new(count + 1, sizeof *out->argv);
    for (size_t i = 0; i < count; i++)
        out->argv[i] = mem_string(i == 0 && strchr(argv[0], '/') ? program : argv[i]);
    return true;
}

bool command_parse(const char *text, struct command *out, struct err *err)
{
    struct words words OWN(own_words) = {0};
    if (!split(text, &words, err))
        return false;
    struct command command = {0};
    if (words.needs_shell) {
        use_shell(text, &command);
    } else {
        add_item(&words, NULL);
        const void *argv = words.items;
        if (!command_of_words(argv, &command, err))
            return false;
        free(command.text);
    }
    command.text = mem_string(text);
    *out = command;
    return true;
}

void command_fini(struct command *command)
{
    for (char **word = command->argv; word && *word; word++)
        free(*word);
    free(command->argv);
    free(command->text);
    free(command->program);
    *command = (struct command){0};
}
