/* verb_run.c - brink run: scenario files, their cases in parallel, and what came of them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"
#include "out.h"
#include "scenarios/crew.h"
#include "scenarios/evidence.h"
#include "scenarios/json_file.h"
#include "suite_report.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/runner/place.h"
#include "verbs.h"

struct playing {
    const struct settings *settings;
    struct suite suite;
    struct case_result *results;
    struct suite_report report;
    struct janitor *janitor;
    struct out out;
    int cases_fd; /* OUT/cases */
    size_t name_columns;
    struct err err; /* of the callbacks */
};

static bool read_suite(struct playing *playing, struct err *err)
{
    const struct settings *settings = playing->settings;
    for (size_t i = 0; i < settings->rest_count; i++) {
        if (!suite_add(&playing->suite, settings->rest[i], err))
            return false;
    }
    if (!suite_only(&playing->suite, settings->only, err))
        return false;
    suite_shard(&playing->suite, settings->shard, settings->shards);
    for (size_t i = 0; i < playing->suite.count; i++) {
        const size_t size = strlen(playing->suite.cases[i].name);
        playing->name_columns = size > playing->name_columns ? size : playing->name_columns;
    }
    return true;
}

/* For people a name in each line; for a CI matrix {"include": [{"name", "file", "runs"}]}. */
static void list(const struct playing *playing)
{
    const struct suite *suite = &playing->suite;
    json_t *include = json_array();
    for (size_t i = 0; i < suite->count; i++) {
        const struct suite_case *suite_case = &suite->cases[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "name", json_string(suite_case->name));
        json_object_set_new(entry, "file", json_string(suite_case->source->files[0].path));
        json_object_set_new(entry, "runs", json_integer((json_int_t)suite_case->runs));
        json_array_append_new(include, entry);
        if (!playing->settings->want_json)
            printf("%s\n", suite_case->name);
    }
    json_t *root = json_object();
    json_object_set_new(root, "include", include);
    if (playing->settings->want_json && json_dumpf(root, stdout, JSON_COMPACT) == 0)
        putchar('\n');
    json_decref(root);
}

static uint32_t count_jobs(const struct settings *settings)
{
    cpu_set_t processors;
    CPU_ZERO(&processors);
    if (settings->jobs > 0)
        return (uint32_t)settings->jobs;
    if (sched_getaffinity(0, sizeof processors, &processors) != 0)
        return 1;
    return (uint32_t)CPU_COUNT(&processors);
}

static int make_folder(void *context, const struct suite_case *suite_case)
{
    const struct playing *playing = context;
    char *name OWN(own_mem) = suite_folder(&playing->suite, suite_case);
    if (mkdirat(playing->cases_fd, name, 0777) != 0 && errno != EEXIST)
        return -1;
    return openat(playing->cases_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* cases/NAME/case.json: everything that was observed. */
static bool write_case(const struct playing *playing, const struct case_result *result,
                       struct err *err)
{
    char *folder OWN(own_mem) =
        suite_folder(&playing->suite, &playing->suite.cases[result - playing->results]);
    char *path OWN(own_mem) = mem_format("%s/case.json", folder);
    const int fd OWN(own_fd) =
        openat(playing->cases_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || (result->report && !json_file_write(fd, result->report, JSON_INDENT(1))))
        return err_system(err, "write %s/cases/%s", playing->out.path, path);
    return true;
}

static void take_result(void *context, const struct case_result *result)
{
    struct playing *playing = context;
    if (playing->err.kind == ERR_NONE && !write_case(playing, result, &playing->err))
        interrupt_request();
    if (playing->settings->is_quiet)
        return;
    suite_report_case(stdout, &playing->report, (size_t)(result - playing->results),
                      playing->name_columns);
    fflush(stdout);
}

static bool write_file(const struct playing *playing, const char *name,
                       void (*write)(FILE *to, const struct suite_report *report), struct err *err)
{
    const int fd = openat(playing->out.fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return err_system(err, "write %s/%s", playing->out.path, name);
    }
    write(file, &playing->report);
    const bool is_written = fflush(file) == 0 && ferror(file) == 0;
    fclose(file);
    return is_written || err_system(err, "write %s/%s", playing->out.path, name);
}

static bool write_reports(const struct playing *playing, struct err *err)
{
    return write_file(playing, "summary.json", suite_report_json, err) &&
           write_file(playing, "junit.xml", suite_report_junit, err);
}

/* The summary is there from the first moment on: by it brink knows its own folder again. */
static bool open_out(struct playing *playing, struct err *err)
{
    const struct settings *settings = playing->settings;
    const struct out_options options = {.is_forced = settings->is_forced};
    if (!out_open(settings->out ? settings->out : "brink-out", &options, &playing->out, err) ||
        !out_clear(&playing->out, err) || !write_reports(playing, err))
        return false;
    if (mkdirat(playing->out.fd, "cases", 0777) != 0)
        return err_system(err, "make %s/cases", playing->out.path);
    playing->cases_fd = openat(playing->out.fd, "cases", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return playing->cases_fd >= 0 || err_system(err, "open %s/cases", playing->out.path);
}

static bool play(struct playing *playing, struct err *err)
{
    const struct settings *settings = playing->settings;
    struct err why = {0};
    struct crew_options options = {
        .suite = &playing->suite,
        .janitor = playing->janitor,
        .jobs = count_jobs(settings),
        .want_isolation = place_is_possible(&why),
        .want_children = settings->evidence != NULL,
        .interrupted = interrupt_flag(),
        .keep = make_folder,
        .done = take_result,
        .context = playing,
    };
    if (!options.want_isolation) {
        fprintf(stderr,
                "brink: note: no namespaces (%s): one case at a time, on the machine's "
                "own network\n",
                why.text);
        options.jobs = 1;
    }
    const int64_t began = clock_now();
    const bool is_done = crew_run(&options, playing->results, err);
    playing->report.seconds = clock_seconds(clock_now() - began);
    if (is_done && playing->err.kind != ERR_NONE) {
        *err = playing->err;
        return false;
    }
    return is_done;
}

static bool keep_evidence(const struct playing *playing, struct err *err)
{
    const struct evidence_options options = {
        .path = playing->settings->evidence,
        .out_fd = playing->out.fd,
        .suite = &playing->suite,
        .results = playing->results,
        .version = BRINK_VERSION,
    };
    return !playing->settings->evidence || evidence_write(&options, err);
}

static int status_of(const struct suite_report *report)
{
    const struct suite_counts counts = suite_report_count(report);
    if (counts.errors > counts.usage)
        return EXIT_HARNESS;
    if (counts.usage > 0)
        return EXIT_USAGE;
    return counts.violated > 0 ? EXIT_FOUND : EXIT_HELD;
}

static bool run_suite(struct playing *playing, int *status, struct err *err)
{
    const struct settings *settings = playing->settings;
    if (settings->evidence && !evidence_is_free(settings->evidence, err))
        return false;
    playing->results = mem_new(playing->suite.count + 1, sizeof *playing->results);
    playing->report = (struct suite_report){&playing->suite, playing->results, 0};
    if (!janitor_start(&playing->janitor, err) || !open_out(playing, err) || !play(playing, err) ||
        !write_reports(playing, err))
        return false;
    if (interrupt_seen())
        return err_harness(err, "interrupted: the cases that ended are in %s", playing->out.path);
    if (!keep_evidence(playing, err))
        return false;
    if (!settings->is_quiet)
        suite_report_end(stdout, &playing->report);
    *status = status_of(&playing->report);
    return true;
}

bool verb_run(const struct settings *settings, int *status, struct err *err)
{
    struct playing playing = {
        .settings = settings, .out = {.fd = OUT_CLOSED}, .cases_fd = OUT_CLOSED};
    bool is_done =
        settings->want_list || !settings->want_json || err_usage(err, "--format: is for --list");
    is_done = is_done && read_suite(&playing, err);
    if (is_done && settings->want_list) {
        list(&playing);
        *status = EXIT_HELD;
    } else if (is_done) {
        is_done = run_suite(&playing, status, err);
    }
    for (size_t i = 0; playing.results && i < playing.suite.count; i++)
        case_result_fini(&playing.results[i]);
    free(playing.results);
    own_fd(&playing.cases_fd);
    out_close(&playing.out);
    suite_fini(&playing.suite);
    janitor_end(playing.janitor);
    return is_done;
}
