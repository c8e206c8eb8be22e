#include "ended.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/base/mem.h"
#include "tracer/base/own.h"

void ended_fini(struct ended *ended)
{
    free(ended->out.bytes);
    free(ended->error.bytes);
    if (ended->has_trace)
        trace_fini(&ended->trace);
    *ended = (struct ended){0};
}

char *ended_words_of(const struct plan_end *end)
{
    return end->signal ? mem_format("signal %d", end->signal) : mem_format("exit %d", end->exit);
}

char *ended_words(const struct ended *ended)
{
    if (ended->has_timed_out)
        return mem_string("did not end in time");
    const bool is_killed = WIFSIGNALED(ended->status);
    const struct plan_end end = {.signal = is_killed ? WTERMSIG(ended->status) : 0,
                                 .exit = WEXITSTATUS(ended->status)};
    return ended_words_of(&end);
}

void ended_check(const struct ended *ended, const char *name, const struct plan_end *expected,
                 struct assertions *assertions)
{
    char *wanted OWN(own_mem) = ended_words_of(expected);
    char *got OWN(own_mem) = ended_words(ended);
    const struct assertion assertion = {name, "end", wanted, got};
    assertions_compare(assertions, &assertion);
}

static bool fits(const char *pattern, const char *text)
{
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
        return false; /* the reader has refused such ones */
    const bool is_found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return is_found;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, each with a newline behind. Caller frees. */
static char *join_sorted(const char **lines, size_t count)
{
    char *joined = mem_string("");
    if (count > 0)
        qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < count; i++) {
        char *longer = mem_format("%s%s\n", joined, lines[i]);
        free(joined);
        joined = longer;
    }
    return joined;
}

static char *sorted_words(const char *const *words)
{
    size_t count = 0;
    while (words[count])
        count++;
    const char **copy OWN(own_mem) = mem_copy(words, (count + 1) * sizeof *words);
    return join_sorted(copy, count);
}

static char *sorted_lines(const char *text)
{
    char *copy OWN(own_mem) = mem_string(text);
    const char **lines OWN(own_mem) = NULL;
    size_t capacity = 0;
    size_t count = 0;
    for (char *at = copy; *at;) {
        const size_t size = strcspn(at, "\n");
        const bool is_last = at[size] == '\0';
        at[size] = '\0';
        mem_grow(&lines, &capacity, count + 1, sizeof *lines);
        lines[count++] = at;
        at += size + !is_last;
    }
    return join_sorted(lines, count);
}

void ended_check_text(const struct ended_text *text, const char *name, const char *stream,
                      const struct plan_text *expected, struct assertions *assertions)
{
    const char *got = text->bytes ? text->bytes : "";
    struct assertion assertion = {name, stream, expected->equals, got};
    if (expected->equals) {
        const bool is_equal = text->size == strlen(got) && strcmp(got, expected->equals) == 0;
        assertions_add(assertions, &assertion, is_equal);
    }
    if (expected->contains) {
        assertion.expected = expected->contains;
        assertions_add(assertions, &assertion, strstr(got, expected->contains) != NULL);
    }
    if (expected->matches) {
        assertion.expected = expected->matches;
        assertions_add(assertions, &assertion, fits(expected->matches, got));
    }
    if (expected->any_order) {
        char *wanted OWN(own_mem) = sorted_words(expected->any_order);
        char *sorted OWN(own_mem) = sorted_lines(got);
        assertions_compare(assertions, &(struct assertion){name, stream, wanted, sorted});
    }
}

bool ended_take_text(int fd, struct ended_text *out, struct err *err)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return err_system(err, "look at a captured stream");
    char *bytes OWN(own_mem) = mem_new((size_t)status.st_size + 1, 1);
    size_t size = 0;
    while (size < (size_t)status.st_size) {
        const ssize_t got = pread(fd, bytes + size, (size_t)status.st_size - size, (off_t)size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_system(err, "read a captured stream");
        if (got == 0)
            break;
        size += (size_t)got;
    }
    *out = (struct ended_text){bytes, size};
    bytes = NULL;
    return true;
}
