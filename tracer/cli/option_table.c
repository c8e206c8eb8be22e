#include <stddef.h>
#include <string.h>

#include "nearest.h"
#include "number.h"
#include "options.h"

enum { MODELS_LATER = 3, MODEL_WORD_MAX = 32, NUMBER_MAX_JOBS = 1024, NUMBER_MAX_POINTS = 1000000 };

static bool model_later(const char *word)
{
    static const char *const later[MODELS_LATER] = {"power", "windows", "fault"};
    for (size_t i = 0; i < MODELS_LATER; i++) {
        const size_t size = strlen(later[i]);
        if (strncmp(word, later[i], size) == 0 && (word[size] == '\0' || word[size] == ':'))
            return true;
    }
    return false;
}

static bool model_add(struct settings *settings, const char *word, struct err *err)
{
    const char *names[MODEL_COUNT];
    for (int i = 0; i < MODEL_COUNT; i++) {
        names[i] = model_name((enum model_kind)i);
        if (strcmp(word, names[i]) != 0)
            continue;
        settings->model_wanted[i] = true;
        return true;
    }
    if (model_later(word))
        return err_usage(err, "--model %s: not in this version; kill and torn are", word);
    const char *meant = nearest_word(word, names, MODEL_COUNT);
    if (meant != NULL)
        return err_usage(err, "--model: no model '%s'; did you mean %s?", word, meant);
    return err_usage(err, "--model: no model '%s'; there are kill and torn", word);
}

static bool parse_models(struct settings *settings, const char *value, struct err *err)
{
    for (int i = 0; i < MODEL_COUNT; i++)
        settings->model_wanted[i] = false;
    for (const char *at = value;; at++) {
        const size_t size = strcspn(at, ",");
        char word[MODEL_WORD_MAX];
        if (size == 0 || size >= sizeof word)
            return err_usage(err, "--model: '%s' is no list of models, such as kill,torn", value);
        memcpy(word, at, size);
        word[size] = '\0';
        if (!model_add(settings, word, err))
            return false;
        at += size;
        if (*at == '\0')
            return true;
    }
}

static bool parse_net(struct settings *settings, const char *value, struct err *err)
{
    if (strcmp(value, "host") != 0 && strcmp(value, "own") != 0)
        return err_usage(err, "--net: '%s' is neither own nor host", value);
    settings->want_host_net = strcmp(value, "host") == 0;
    return true;
}

static bool parse_seed(struct settings *settings, const char *value, struct err *err)
{
    settings->has_seed = number_parse(value, &settings->seed);
    return settings->has_seed || err_usage(err, "--seed: '%s' is no number from 0 up", value);
}

static bool parse_shard(struct settings *settings, const char *value, struct err *err)
{
    if (number_parse_shard(value, &settings->shard, &settings->shards))
        return true;
    return err_usage(err, "--shard: '%s' is not I/N with I from 1 to N, such as 1/4", value);
}

static bool parse_environment(struct settings *settings, const char *value, struct err *err)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return err_usage(err, "--env: '%s' is not NAME=VALUE", value);
    words_add(&settings->env, value);
    return true;
}

static bool parse_format(struct settings *settings, const char *value, struct err *err)
{
    settings->want_json = strcmp(value, "json") == 0;
    return settings->want_json || strcmp(value, "text") == 0 ||
           err_usage(err, "--format: '%s' is neither text nor json", value);
}

#define AT(field) offsetof(struct settings, field)

static const struct option table[] = {
    {"dir", 'C', VERB_STARTING, OPTION_TEXT, GROUP_WORKSPACE, AT(dir), "DIR",
     "workspace: what must survive a crash\n(default: a new empty folder)", 0, 0, NULL, 0},
    {"init", 0, VERB_STARTING, OPTION_TEXT, GROUP_WORKSPACE, AT(init), "DIR",
     "initial content, in place of what is in the workspace", 0, 0, NULL, 0},
    {"setup", 0, VERB_STARTING, OPTION_TEXT, GROUP_WORKSPACE, AT(setup), "CMD",
     "runs in the workspace before the recording, unrecorded", 0, 0, NULL, 0},
    {"exclude", 0, VERB_STARTING, OPTION_WORDS, GROUP_WORKSPACE, AT(exclude), "GLOB",
     "files that are no concern: caches, sockets, logs\n(may be given again)", 0, 0, NULL, 0},
    {"at", 0, VERB_KILL, OPTION_TEXT, GROUP_RECORDING, AT(at), "BARRIER",
     "where to halt; see above", 0, 0, NULL, 0},
    {"scenario", 0, VERB_KILL, OPTION_TEXT, GROUP_RECORDING, AT(scenario), "FILE",
     "worker, initial content, services and named barriers\nare this scenario's; --at names one", 0,
     0, NULL, VERB_RECORDING},
    {"env", 0, VERB_STARTING, OPTION_OTHER, GROUP_RECORDING, 0, "K=V",
     "set for worker, recovery and check (may be given again)", 0, 0, parse_environment, 0},
    {"timeout", 0, VERB_STARTING | VERB_REPLAY, OPTION_SECONDS, GROUP_RECORDING, AT(timeout_ns),
     "S", "for the worker, and for each recovery and check\n(default 60)", 0, 0, NULL, 0},
    {"no-pin", 0, VERB_STARTING, OPTION_FLAG, GROUP_RECORDING, AT(no_pin), NULL,
     "let the worker use all processors; recording gets slower", 0, 0, NULL, 0},
    {"tty", 0, VERB_STARTING, OPTION_FLAG, GROUP_RECORDING, AT(is_tty), NULL,
     "give the worker a terminal", 0, 0, NULL, 0},
    {"no-backtrace", 0, VERB_STARTING, OPTION_FLAG, GROUP_RECORDING, AT(no_backtrace), NULL,
     "do not capture return addresses; faster", 0, 0, NULL, 0},
    {"model", 0, VERB_EXPLORE, OPTION_OTHER, GROUP_EXPLORING, 0, "LIST",
     "what a crash takes away (default kill,torn)", 0, 0, parse_models, 0},
    {"recover", 0, VERB_EXPLORE, OPTION_TEXT, GROUP_EXPLORING, AT(recover), "CMD",
     "starts the worker again on a crash state", 0, 0, NULL, 0},
    {"check", 0, VERB_EXPLORE, OPTION_TEXT, GROUP_EXPLORING, AT(check), "CMD",
     "says whether a recovered state is right; exit 0 = right", 0, 0, NULL, 0},
    {"net", 0, VERB_EXPLORE, OPTION_OTHER, GROUP_EXPLORING, 0, "host",
     "commands use the machine's network, not one of their own", 0, 0, parse_net, 0},
    {"jobs", 'j', VERB_EXPLORE | VERB_RUN, OPTION_NUMBER, GROUP_EXPLORING, AT(jobs), "N",
     "states or cases at the same time (default: processors)", 1, NUMBER_MAX_JOBS, NULL, 0},
    {"budget", 0, VERB_EXPLORE, OPTION_NUMBER, GROUP_EXPLORING, AT(budget), "N",
     "states checked for each model (default 5000, 0 = all)", 0, UINT64_MAX, NULL, 0},
    {"depth", 0, VERB_EXPLORE, OPTION_NUMBER, GROUP_EXPLORING, AT(depth), "N",
     "2: the recovery is killed as well, at each of its ops\n(default 1)", 1, 2, NULL, 0},
    {"max-time", 0, VERB_EXPLORE, OPTION_SECONDS, GROUP_EXPLORING, AT(max_time_ns), "S",
     "begin no state after this; the result is then partial", 0, 0, NULL, 0},
    {"verify", 0, VERB_EXPLORE, OPTION_NUMBER, GROUP_EXPLORING, AT(verify), "N",
     "crash points that are checked by real kills (default 10)", 0, NUMBER_MAX_POINTS, NULL, 0},
    {"seed", 0, VERB_EXPLORE, OPTION_OTHER, GROUP_EXPLORING, 0, "N",
     "draws the points of --verify (default: a new one, printed)", 0, 0, parse_seed, 0},
    {"shard", 0, VERB_EXPLORE | VERB_RUN, OPTION_OTHER, GROUP_EXPLORING, 0, "I/N",
     "only this part of the states (see brink merge) or cases", 0, 0, parse_shard, 0},
    {"slot-dir", 0, VERB_EXPLORE | VERB_REPLAY, OPTION_TEXT, GROUP_EXPLORING, AT(slot_dir), "DIR",
     "build states in this folder instead of in memory", 0, 0, NULL, 0},
    {"run", 0, VERB_REPLAY, OPTION_TEXT, GROUP_EXPLORING, AT(run), "RUN",
     "the output folder of the run (default brink-out)", 0, 0, NULL, 0},
    {"shell", 0, VERB_REPLAY, OPTION_FLAG, GROUP_EXPLORING, AT(want_shell), NULL,
     "open a shell in the state instead", 0, 0, NULL, 0},
    {"keep", 0, VERB_REPLAY, OPTION_TEXT, GROUP_EXPLORING, AT(keep), "DIR",
     "write the state into this new folder too", 0, 0, NULL, 0},
    {"only", 0, VERB_RUN | VERB_KILL, OPTION_TEXT, GROUP_EXPLORING, AT(only), "GLOB",
     "only the cases with such names", 0, 0, NULL, 0},
    {"list", 0, VERB_RUN, OPTION_FLAG, GROUP_OUTPUT, AT(want_list), NULL,
     "print the names of the cases and run nothing", 0, 0, NULL, 0},
    {"format", 0, VERB_RUN, OPTION_OTHER, GROUP_OUTPUT, 0, "json",
     "print the list as a matrix for CI servers", 0, 0, parse_format, VERB_EXPLORE | VERB_TRACE},
    {"evidence", 0, VERB_RUN, OPTION_TEXT, GROUP_OUTPUT, AT(evidence), "DIR",
     "keep everything in this new folder; see brink evidence", 0, 0, NULL, 0},
    {"out", 'o', VERB_RECORDING | VERB_MERGE | VERB_RUN, OPTION_TEXT, GROUP_OUTPUT, AT(out), "DIR",
     "output folder (explore, run: default brink-out)", 0, 0, NULL, 0},
    {"force", 0, VERB_RECORDING | VERB_MERGE | VERB_RUN, OPTION_FLAG, GROUP_OUTPUT, AT(is_forced),
     NULL, "use an output folder that is not brink's", 0, 0, NULL, 0},
    {"resume", 0, VERB_EXPLORE, OPTION_FLAG, GROUP_OUTPUT, AT(want_resume), NULL,
     "go on with an exploration that was ended early", 0, 0, NULL, 0},
    {"quiet", 'q', VERB_STARTING | VERB_REPLAY | VERB_MERGE | VERB_RUN, OPTION_FLAG, GROUP_OUTPUT,
     AT(is_quiet), NULL, "print errors only", 0, 0, NULL, 0},

    {.name = "source", .verbs = VERB_RECORDING, .kind = OPTION_LATER},
    {.name = "profile", .verbs = VERB_EXPLORE, .kind = OPTION_LATER},
    {.name = "atomic", .verbs = VERB_EXPLORE, .kind = OPTION_LATER},
    {.name = "promise", .verbs = VERB_EXPLORE, .kind = OPTION_LATER},
    {.name = "baseline", .verbs = VERB_EXPLORE, .kind = OPTION_LATER},
    {.name = "update-baseline", .verbs = VERB_EXPLORE, .kind = OPTION_LATER},
    {.name = "gdb", .verbs = VERB_REPLAY, .kind = OPTION_LATER},
};

const struct option *option_table(size_t *count)
{
    *count = sizeof table / sizeof *table;
    return table;
}
