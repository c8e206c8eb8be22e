#include <stdint.h>
#include <string.h>

#include "report.h"
#include "tracer/base/clock.h"
#include "tracer/base/mem.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"
#include "words.h"
#include "xml.h"

/* One test case for each model, which says what was tried, and one for each finding, which is a
 * failure. Names stay the same from run to run, so that a CI server can compare runs: a model's
 * name alone, a finding's key. */

static unsigned long long number(uint64_t value)
{
    return value;
}

/* Violated states that no finding explains must not go unseen. */
static bool is_unexplained(const struct run *run, const struct model_counts *counts)
{
    return run->findings_count == 0 && counts->violated + counts->crashed + counts->hung > 0;
}

static uint32_t wanted_models(const struct run *run)
{
    uint32_t count = 0;
    for (int i = 0; i < MODEL_COUNT; i++)
        count += run->model_wanted[i];
    return run->second ? count * 2 : count;
}

static uint64_t failures(const struct run *run)
{
    uint64_t count = run->findings_count;
    for (int i = 0; i < MODEL_COUNT; i++) {
        count += run->model_wanted[i] && is_unexplained(run, &run->models[i]);
        count +=
            run->model_wanted[i] && run->second && is_unexplained(run, &run->second->models[i]);
    }
    return count;
}

static void put_model(FILE *to, const struct run *run, const char *name,
                      const struct model_counts *counts)
{
    fputs("    <testcase classname=\"brink.model\"", to);
    xml_attribute(to, "name", name);
    fputs(">\n", to);
    if (is_unexplained(run, counts))
        fputs("      <failure type=\"violated\" message=\"states were violated\"/>\n", to);
    fprintf(to,
            "      <system-out>%llu%s crash states, %llu tried, %llu distinct: %llu violated, "
            "%llu crashed, %llu hung, %llu flaky</system-out>\n    </testcase>\n",
            number(counts->legal), counts->legal_is_bound ? " or more" : "", number(counts->tried),
            number(counts->distinct), number(counts->violated), number(counts->crashed),
            number(counts->hung), number(counts->flaky));
}

static void put_line(FILE *to, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    fputs(label, to);
    xml_text(to, text);
    fputc('\n', to);
}

static void put_finding(FILE *to, const struct run *run, const struct finding *finding)
{
    char *path OWN(own_mem) = text_escape(finding->path ? finding->path : "", SIZE_MAX);
    char *name OWN(own_mem) = mem_format("%s: %s %s [%s]", model_name(finding->weakest),
                                         finding->call ? finding->call : "", path, finding->key);
    char *replay OWN(own_mem) = words_replay(run, finding);
    fputs("    <testcase classname=\"brink.finding\"", to);
    xml_attribute(to, "name", name);
    fputs(">\n      <failure type=\"violated\"", to);
    xml_attribute(to, "message", finding->sentence);
    fprintf(to, ">op %u%s\n", words_op(run, finding), finding->depth > 1 ? " of the recovery" : "");
    put_line(to, "which began on: ", finding->depth > 1 ? finding->first_is : NULL);
    put_line(to, "at ", finding->where);
    put_line(to, "missing: ", finding->missing);
    put_line(to, "what can cause it: ", finding->cause);
    fprintf(to, "states: %llu\n", number(finding->states));
    put_line(to, "", finding->why);
    put_line(to, "", finding->output);
    put_line(to, "again: ", replay);
    fputs("</failure>\n    </testcase>\n", to);
}

static void put_property(FILE *to, const char *name, const char *value)
{
    fputs("      <property", to);
    xml_attribute(to, "name", name);
    xml_attribute(to, "value", value);
    fputs("/>\n", to);
}

static void put_properties(FILE *to, const struct run *run)
{
    char *const nobody[] = {NULL};
    char *const *argv = run->trace->about.argv ? run->trace->about.argv : nobody;
    char *worker OWN(own_mem) = text_quote((const char *const *)argv);
    fputs("    <properties>\n", to);
    put_property(to, "result", words_result(run));
    put_property(to, "worker", worker);
    put_property(to, "brink", BRINK_VERSION);
    const char **notes OWN(own_mem) = words_notes(run);
    for (const char **note = notes; *note; note++)
        put_property(to, "note", *note);
    fputs("    </properties>\n", to);
}

static bool write_junit(FILE *to, const struct run *run, struct err *err)
{
    char *counts OWN(own_mem) =
        mem_format("tests=\"%llu\" failures=\"%llu\" errors=\"0\" time=\"%.3f\"",
                   number(wanted_models(run) + run->findings_count), number(failures(run)),
                   clock_seconds(run->elapsed_ns));
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites %s>\n"
            "  <testsuite name=\"brink\" %s>\n",
            counts, counts);
    put_properties(to, run);
    for (int i = 0; i < MODEL_COUNT; i++) {
        if (run->model_wanted[i])
            put_model(to, run, model_name((enum model_kind)i), &run->models[i]);
    }
    for (int i = 0; run->second && i < MODEL_COUNT; i++) {
        char *name OWN(own_mem) = mem_format("%s in recovery", model_name((enum model_kind)i));
        if (run->model_wanted[i])
            put_model(to, run, name, &run->second->models[i]);
    }
    for (size_t i = 0; i < run->findings_count; i++)
        put_finding(to, run, &run->findings[i]);
    fputs("  </testsuite>\n</testsuites>\n", to);
    return !ferror(to) || err_system(err, "write junit.xml");
}

const struct report report_junit = {.name = "junit", .file = "junit.xml", .write = write_junit};
