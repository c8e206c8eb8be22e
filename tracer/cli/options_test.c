#include "options.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tracer/base/clock.h"

enum { WORDS_MAX = 12 };

/* Parses a NULL-terminated list of words for a verb; the text of the error, "" when there is none.
 */
static const char *parse(const char *verb, const char *const words[], struct settings *settings,
                         struct err *err)
{
    int count = 0;
    while (words[count] != NULL)
        count++;
    settings_init(settings);
    *err = (struct err){0};
    if (options_parse(verb_find(verb), count, words, settings, err))
        return "";
    cr_assert_eq(err->kind, ERR_USAGE);
    return err->text;
}

#define PARSE(verb, ...) parse(verb, (const char *const[]){__VA_ARGS__, NULL}, &settings, &err)

Test(options, each_form_of_a_value_gives_the_same_setting)
{
    static const char *const forms[][WORDS_MAX] = {
        {"--dir", "ws", "--", "w"},
        {"--dir=ws", "--", "w"},
        {"-C", "ws", "--", "w"},
        {"-Cws", "--", "w"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct settings settings;
        struct err err;
        cr_expect_str_eq(parse("explore", forms[i], &settings, &err), "", "form %zu", i);
        cr_expect_str_eq(settings.dir, "ws", "form %zu", i);
        settings_fini(&settings);
    }
}

Test(options, the_worker_gets_its_own_options_untouched)
{
    struct settings settings;
    struct err err;
    const char *const words[] = {"--quiet", "--", "w", "--quiet", "--", "-C", NULL};
    cr_assert_str_eq(parse("explore", words, &settings, &err), "");
    cr_assert_eq(settings.rest_count, 4);
    cr_expect_str_eq(settings.rest[0], "w");
    cr_expect_str_eq(settings.rest[1], "--quiet");
    cr_expect_str_eq(settings.rest[2], "--");
    cr_expect_str_eq(settings.rest[3], "-C");
    cr_expect_null(settings.rest[4]);
    settings_fini(&settings);
}

Test(options, values_reach_their_settings)
{
    struct settings settings;
    struct err err;
    cr_assert_str_eq(PARSE("explore", "--timeout", "1.5", "--shard=2/3", "--model", "torn",
                           "--budget", "0", "--env", "A=1", "--env=B="),
                     "brink explore: no worker: brink explore [options] -- WORKER [ARG...]");
    cr_expect_eq(settings.timeout_ns, CLOCK_SECOND * 3 / 2);
    cr_expect_eq(settings.shard, 1);
    cr_expect_eq(settings.shards, 3);
    cr_expect_not(settings.model_wanted[MODEL_KILL]);
    cr_expect(settings.model_wanted[MODEL_TORN]);
    cr_expect_eq(settings.budget, 0);
    cr_assert_eq(settings.env.count, 2);
    cr_expect_str_eq(settings.env.items[1], "B=");
    cr_expect_null(settings.env.items[2]);
    settings_fini(&settings);
}

Test(options, defaults_are_those_of_the_manual)
{
    struct settings settings;
    struct err err;
    cr_assert_str_eq(PARSE("explore", "--", "w"), "");
    cr_expect(settings.model_wanted[MODEL_KILL] && settings.model_wanted[MODEL_TORN]);
    cr_expect_eq(settings.budget, 5000);
    cr_expect_eq(settings.verify, 10);
    cr_expect_eq(settings.shards, 1);
    settings_fini(&settings);
}

struct refusal {
    const char *label, *verb, *text;
    const char *words[WORDS_MAX];
};

static const struct refusal refusals[] = {
    {"a typing slip",
     "explore",
     "--chekc: no such option of brink explore; did you mean --check?",
     {"--chekc", "c", "--", "w"}},
    {"a slip with a value",
     "explore",
     "--modle: no such option of brink explore; did you mean --model?",
     {"--modle=kill"}},
    {"nothing near",
     "explore",
     "--zzzzzzzz: no such option; see brink help explore",
     {"--zzzzzzzz"}},
    {"an unknown letter", "explore", "-x: no such option; see brink help explore", {"-x"}},
    {"a later option", "explore", "--source: not in this version", {"--source", "shim"}},
    {"an option that is later for this verb",
     "explore",
     "--format: not in this version",
     {"--format", "html"}},
    {"a later option with =", "explore", "--atomic: not in this version", {"--atomic=4096"}},
    {"a later model",
     "explore",
     "--model power: not in this version; kill and torn are",
     {"--model", "kill,power"}},
    {"a later model with a detail",
     "explore",
     "--model fault:eio: not in this version; kill and torn are",
     {"--model=fault:eio"}},
    {"a model with a slip",
     "explore",
     "--model: no model 'trn'; did you mean torn?",
     {"--model", "trn"}},
    {"an empty list of models",
     "explore",
     "--model: 'kill,' is no list of models, such as kill,torn",
     {"--model", "kill,"}},
    {"another verb's option",
     "trace",
     "--check: no option of brink trace; see brink help trace",
     {"--check", "x"}},
    {"no value at the end", "explore", "--check: its CMD is missing", {"--check"}},
    {"no value before the worker",
     "explore",
     "--check: its CMD is missing",
     {"--check", "--", "w"}},
    {"an empty value", "explore", "--dir: its DIR is empty", {"--dir="}},
    {"a flag with a value", "explore", "--quiet: takes no value, but got '1'", {"--quiet=1"}},
    {"no number", "explore", "--budget: 'many' is no number from 0 up", {"--budget", "many"}},
    {"a number that is too small",
     "explore",
     "--jobs: '0' is no number from 1 to 1024",
     {"--jobs", "0"}},
    {"no time",
     "explore",
     "--timeout: '0' is no number of seconds above 0, such as 2.5",
     {"--timeout", "0"}},
    {"a shard beyond the last",
     "explore",
     "--shard: '3/2' is not I/N with I from 1 to N, such as 1/4",
     {"--shard", "3/2"}},
    {"an environment without =", "explore", "--env: 'A' is not NAME=VALUE", {"--env", "A"}},
    {"a worker without --",
     "explore",
     "'w': put -- before the worker: brink explore [options] -- w",
     {"w"}},
    {"no worker after --",
     "explore",
     "brink explore: no worker after --: brink explore [options] -- WORKER [ARG...]",
     {"--"}},
    {"two states",
     "replay",
     "brink replay: 'b' is one word too many; see brink help replay",
     {"a", "b"}},
    {"no state",
     "replay",
     "brink replay: something is missing: brink replay [--run RUN] STATE [options]",
     {NULL}},
};

Test(options, each_wrong_input_is_refused_by_name)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct settings settings;
        struct err err;
        cr_expect_str_eq(parse(refusals[i].verb, refusals[i].words, &settings, &err),
                         refusals[i].text, "%s: %s", refusals[i].label, err.text);
        settings_fini(&settings);
    }
}

Test(options, help_is_seen_before_the_worker_only)
{
    struct settings settings;
    struct err err = {0};
    const char *const asked[] = {"--quiet", "--help"};
    const char *const given[] = {"--", "w", "--help"};
    settings_init(&settings);
    cr_assert(options_parse(verb_find("explore"), 2, asked, &settings, &err));
    cr_expect(settings.want_help);
    settings.want_help = false;
    cr_assert(options_parse(verb_find("explore"), 3, given, &settings, &err));
    cr_expect_not(settings.want_help);
    settings_fini(&settings);
}

Test(options, words_of_replay_may_stand_anywhere)
{
    struct settings settings;
    struct err err;
    cr_assert_str_eq(PARSE("replay", "--run", "r", "abc", "--shell"), "");
    cr_assert_eq(settings.rest_count, 1);
    cr_expect_str_eq(settings.rest[0], "abc");
    cr_expect(settings.want_shell);
    settings_fini(&settings);
}

Test(options, every_option_has_help_and_fits_the_error_text)
{
    size_t count = 0;
    const struct option *table = option_table(&count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_neq(table[i].verbs, 0, "--%s", table[i].name);
        if (table[i].kind == OPTION_LATER)
            continue;
        cr_expect_not_null(table[i].help, "--%s", table[i].name);
        cr_expect_eq(table[i].value == NULL, table[i].kind == OPTION_FLAG, "--%s", table[i].name);
    }
}
