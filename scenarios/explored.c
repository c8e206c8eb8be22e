#include "explored.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

enum { VIOLATED = 1, USAGE = 2 };

/* A command line that grows. */
struct line {
    char **words;
    size_t count, capacity;
};

static void add(struct line *line, char *word)
{
    mem_grow(&line->words, &line->capacity, line->count + 2, sizeof *line->words);
    line->words[line->count++] = word;
    line->words[line->count] = NULL;
}

static void add_text(struct line *line, const char *option, const char *value)
{
    add(line, mem_string(option));
    add(line, mem_string(value));
}

static void add_number(struct line *line, const char *option, int64_t value)
{
    add(line, mem_string(option));
    add(line, mem_format("%" PRId64, value));
}

/* The words as one, as the options for commands want it. */
static void add_command(struct line *line, const char *option, const char *const *argv)
{
    if (!argv)
        return;
    add(line, mem_string(option));
    add(line, text_quote(argv));
}

/* The same program as we are. */
static char *own_program(void)
{
    char path[PATH_MAX];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    return size > 0 ? mem_range(path, (size_t)size) : mem_string("brink");
}

static void make_line(const struct scene *scene, const char *out, struct line *line)
{
    const struct plan_explore *explore = &scene->plan->explore;
    const struct plan_command *worker = &scene->plan->worker.command;
    add(line, own_program());
    add(line, mem_string("explore"));
    add_text(line, "--dir", scene->dir);
    add_text(line, "--out", out);
    add_text(line, "--model", explore->models);
    add_number(line, "--depth", explore->depth);
    add_number(line, "--budget", explore->budget);
    add_number(line, "--verify", explore->verify);
    add_number(line, "--seed", explore->seed);
    add_number(line, "--timeout", worker->timeout_ns / CLOCK_SECOND);
    add_command(line, "--recover", explore->recover);
    add_command(line, "--check", explore->check);
    for (size_t i = 0; worker->environment && worker->environment[i]; i++)
        add_text(line, "--env", worker->environment[i]);
    add(line, mem_string("--"));
    for (size_t i = 0; worker->argv[i]; i++)
        add(line, mem_string(worker->argv[i]));
}

/* The number at a place such as "models.torn.tried"; NULL: there is none. */
static const json_t *look_up(const json_t *summary, const char *place)
{
    const json_t *at = summary;
    while (at && *place) {
        const size_t size = strcspn(place, ".");
        char *key OWN(own_mem) = mem_range(place, size);
        at = json_object_get(at, key);
        place += size + (place[size] == '.');
    }
    return json_is_integer(at) ? at : NULL;
}

static void compare(struct scene *scene, const json_t *summary, const char *place, int64_t expected)
{
    const json_t *found = look_up(summary, place);
    char *wanted OWN(own_mem) = mem_format("%" PRId64, expected);
    char *observed OWN(own_mem) = found ? mem_format("%" PRId64, (int64_t)json_integer_value(found))
                                        : mem_string("not there");
    assertions_compare(scene->assertions, &(struct assertion){"explore", place, wanted, observed});
}

/* Nothing bad, and nothing left out: that is what "no violation" means. */
static void compare_models(struct scene *scene, const json_t *summary, const char *models)
{
    static const char *const bad[] = {"violated", "crashed", "hung", "flaky"};
    const char *name;
    const json_t *model;
    json_t *all = json_object_get(summary, models);
    json_object_foreach(all, name, model)
    {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            char *place OWN(own_mem) = mem_format("%s.%s.%s", models, name, bad[i]);
            compare(scene, summary, place, 0);
        }
        char *place OWN(own_mem) = mem_format("%s.%s.tried", models, name);
        const json_t *legal = json_object_get(model, "legal");
        if (scene->plan->explore.budget == 0)
            compare(scene, summary, place, (int64_t)json_integer_value(legal));
    }
}

/* Where the worker could be run again, each of those kills left what was predicted. */
static void compare_kills(struct scene *scene, const json_t *summary)
{
    const json_t *kills = json_object_get(summary, "verified_by_kill");
    const char *skipped = json_string_value(json_object_get(kills, "skipped"));
    const json_t *tried = json_object_get(kills, "tried");
    if (scene->plan->explore.verify > 0 && (!skipped || *skipped == '\0'))
        compare(scene, summary, "verified_by_kill.equal", (int64_t)json_integer_value(tried));
}

static void judge(struct scene *scene, const json_t *summary)
{
    const char *place;
    const json_t *value;
    const char *result = json_string_value(json_object_get(summary, "result"));
    assertions_compare(scene->assertions,
                       &(struct assertion){"explore", "result", "held", result ? result : "none"});
    compare_models(scene, summary, "models");
    compare_models(scene, summary, "models2");
    compare_kills(scene, summary);
    json_object_foreach(scene->plan->explore.counts, place, value)
    {
        compare(scene, summary, place, (int64_t)json_integer_value(value));
    }
}

/* Its last line, without the program's name in front. */
static bool failed(const struct ended *ended, int status, struct err *err)
{
    const char *text = ended->error.bytes;
    const char *last = strstr(text, "brink: ");
    for (const char *next = last; next; next = strstr(next + 1, "\nbrink: "))
        last = *next == '\n' ? next + 1 : next;
    last = last ? last + strlen("brink: ") : "it said nothing";
    const int size = (int)strcspn(last, "\n");
    return status == USAGE ? err_usage(err, "explore: %.*s", size, last)
                           : err_harness(err, "explore: %.*s", size, last);
}

static bool read_summary(struct scene *scene, const char *out, struct err *err)
{
    json_error_t why;
    char *path OWN(own_mem) = mem_format("%s/summary.json", out);
    json_t *summary = json_load_file(path, 0, &why);
    if (!summary)
        return err_harness(err, "explore: %s: %s", path, why.text);
    judge(scene, summary);
    json_decref(summary);
    return true;
}

static bool conclude(struct scene *scene, const struct ended *ended, const char *out,
                     struct err *err)
{
    if (ended->has_timed_out)
        return err_harness(err, "explore: did not end in its time");
    const int status = WIFEXITED(ended->status) ? WEXITSTATUS(ended->status) : -1;
    if (status != 0 && status != VIOLATED)
        return failed(ended, status, err);
    return read_summary(scene, out, err);
}

bool explored_run(struct scene *scene, const char *out, struct err *err)
{
    const struct plan_worker *worker = &scene->plan->worker;
    struct line line = {0};
    struct ended ended = {0};
    make_line(scene, out, &line);
    const struct plan_command command = {.argv = (const char *const *)line.words,
                                         .input = worker->command.input,
                                         .timeout_ns = scene->plan->explore.timeout_ns};
    const struct child_options options = {&command, "explore", scene->dir, scene->dir};
    bool is_done = child_run(&options, &ended, err);
    if (is_done) {
        scene_add_child(scene, "explore", &command, &ended, "exit 0");
        is_done = conclude(scene, &ended, out, err);
    }
    ended_fini(&ended);
    child_free_words(line.words);
    return is_done;
}
