#include "options.h"

#include <inttypes.h>
#include <string.h>

#include "nearest.h"
#include "number.h"
#include "tracer/base/check.h"

enum { NAMES_MAX = 64 };

/* The command line while it is read. */
struct reader {
    const struct verb *verb;
    const char *const *argv;
    int argc;
    int at;
    struct settings *settings;
};

static const struct option *find_long(const char *name, size_t size)
{
    size_t count = 0;
    const struct option *table = option_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (strlen(table[i].name) == size && memcmp(table[i].name, name, size) == 0)
            return &table[i];
    }
    return NULL;
}

static const struct option *find_short(char letter)
{
    size_t count = 0;
    const struct option *table = option_table(&count);
    for (size_t i = 0; i < count; i++) {
        if (table[i].letter == letter)
            return &table[i];
    }
    return NULL;
}

static bool unknown(const struct verb *verb, const char *word, struct err *err)
{
    size_t count = 0;
    const struct option *table = option_table(&count);
    const char *names[NAMES_MAX] = {"help"};
    size_t known = 1;
    for (size_t i = 0; i < count && known < NAMES_MAX; i++) {
        if ((table[i].verbs & verb->bit) != 0 && table[i].kind != OPTION_LATER)
            names[known++] = table[i].name;
    }
    const int size = (int)strcspn(word, "=");
    char typed[NAMES_MAX] = "";
    if (word[0] == '-' && word[1] == '-' && size < NAMES_MAX)
        memcpy(typed, word + 2, (size_t)size - 2);
    const char *meant = nearest_word(typed, names, known);
    if (meant != NULL && typed[0] != '\0') {
        return err_usage(err, "%.*s: no such option of brink %s; did you mean --%s?", size, word,
                         verb->name, meant);
    }
    return err_usage(err, "%.*s: no such option; see brink help %s", size, word, verb->name);
}

static bool set_number(const struct option *option, struct settings *settings, const char *value,
                       struct err *err)
{
    uint64_t number = 0;
    const bool fits =
        number_parse(value, &number) && number >= option->min && number <= option->max;
    if (!fits && option->max == UINT64_MAX) {
        return err_usage(err, "--%s: '%s' is no number from %" PRIu64 " up", option->name, value,
                         option->min);
    }
    if (!fits) {
        return err_usage(err, "--%s: '%s' is no number from %" PRIu64 " to %" PRIu64, option->name,
                         value, option->min, option->max);
    }
    memcpy((char *)settings + option->at, &number, sizeof number);
    return true;
}

static bool set_seconds(const struct option *option, struct settings *settings, const char *value,
                        struct err *err)
{
    int64_t ns = 0;
    if (!number_parse_seconds(value, &ns) || ns == 0) {
        return err_usage(err, "--%s: '%s' is no number of seconds above 0, such as 2.5",
                         option->name, value);
    }
    memcpy((char *)settings + option->at, &ns, sizeof ns);
    return true;
}

static bool set_value(const struct option *option, struct settings *settings, const char *value,
                      struct err *err)
{
    void *field = (char *)settings + option->at;
    switch (option->kind) {
    case OPTION_TEXT:
        if (value[0] == '\0')
            return err_usage(err, "--%s: its %s is empty", option->name, option->value);
        memcpy(field, &value, sizeof value);
        return true;
    case OPTION_WORDS:
        words_add(field, value);
        return true;
    case OPTION_NUMBER:
        return set_number(option, settings, value, err);
    case OPTION_SECONDS:
        return set_seconds(option, settings, value, err);
    case OPTION_OTHER:
        return option->parse(settings, value, err);
    case OPTION_FLAG:
    case OPTION_LATER:
        break;
    }
    UNREACHABLE("flags and later options have no value");
}

/* value: what stood behind the name in the same word, or NULL. */
static bool take(struct reader *reader, const struct option *option, const char *value,
                 struct err *err)
{
    if (option->kind == OPTION_LATER || (option->later & reader->verb->bit) != 0)
        return err_usage(err, "--%s: not in this version", option->name);
    if ((option->verbs & reader->verb->bit) == 0) {
        return err_usage(err, "--%s: no option of brink %s; see brink help %s", option->name,
                         reader->verb->name, reader->verb->name);
    }
    if (option->kind == OPTION_FLAG) {
        if (value != NULL)
            return err_usage(err, "--%s: takes no value, but got '%s'", option->name, value);
        const bool is_on = true;
        memcpy((char *)reader->settings + option->at, &is_on, sizeof is_on);
        return true;
    }
    if (value == NULL && reader->at < reader->argc && strcmp(reader->argv[reader->at], "--") != 0)
        value = reader->argv[reader->at++];
    if (value == NULL)
        return err_usage(err, "--%s: its %s is missing", option->name, option->value);
    return set_value(option, reader->settings, value, err);
}

static bool take_long(struct reader *reader, const char *word, struct err *err)
{
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    const size_t size = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const struct option *option = find_long(name, size);
    if (option == NULL)
        return unknown(reader->verb, word, err);
    return take(reader, option, equals != NULL ? equals + 1 : NULL, err);
}

static bool take_short(struct reader *reader, const char *word, struct err *err)
{
    const struct option *option = find_short(word[1]);
    if (option == NULL)
        return unknown(reader->verb, word, err);
    return take(reader, option, word[2] != '\0' ? word + 2 : NULL, err);
}

/* A word that is neither option nor value. */
static bool take_word(struct reader *reader, const char *word, struct err *err)
{
    if (reader->verb->takes_worker) {
        return err_usage(err, "'%s': put -- before the worker: brink %s [options] -- %s", word,
                         reader->verb->name, word);
    }
    words_add(&reader->settings->rest_words, word);
    return true;
}

static bool end(struct reader *reader, bool has_dashes, struct err *err)
{
    struct settings *settings = reader->settings;
    const struct verb *verb = reader->verb;
    if (verb->takes_worker) {
        settings->rest = reader->argv + reader->at;
        settings->rest_count = (size_t)(reader->argc - reader->at);
        if (settings->scenario != NULL) {
            return settings->rest_count == 0 ||
                   err_usage(err, "brink %s: '%s': the worker is the one of --scenario", verb->name,
                             settings->rest[0]);
        }
        if (settings->rest_count == 0 || settings->rest[0][0] == '\0') {
            return err_usage(err, "brink %s: %s: brink %s %s", verb->name,
                             has_dashes ? "no worker after --" : "no worker", verb->name,
                             verb->usage);
        }
        return true;
    }
    while (reader->at < reader->argc)
        words_add(&settings->rest_words, reader->argv[reader->at++]);
    settings->rest = settings->rest_words.items;
    settings->rest_count = settings->rest_words.count;
    if (settings->rest_count > verb->words_max) {
        return err_usage(err, "brink %s: '%s' is one word too many; see brink help %s", verb->name,
                         settings->rest[verb->words_max], verb->name);
    }
    if (settings->rest_count < verb->words_min) {
        return err_usage(err, "brink %s: something is missing: brink %s %s", verb->name, verb->name,
                         verb->usage);
    }
    return true;
}

static bool take_any(struct reader *reader, const char *word, struct err *err)
{
    if (word[0] != '-' || word[1] == '\0')
        return take_word(reader, word, err);
    return word[1] == '-' ? take_long(reader, word, err) : take_short(reader, word, err);
}

bool options_parse(const struct verb *verb, int argc, const char *const argv[],
                   struct settings *settings, struct err *err)
{
    struct reader reader = {.verb = verb, .argv = argv, .argc = argc, .settings = settings};
    while (reader.at < argc) {
        const char *word = argv[reader.at++];
        if (strcmp(word, "--") == 0)
            return end(&reader, true, err);
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            settings->want_help = true;
            return true;
        }
        if (!take_any(&reader, word, err))
            return false;
    }
    return end(&reader, false, err);
}
