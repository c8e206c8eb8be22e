#include "suite_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page.h"
#include "reports/xml.h"
#include "tracer/base/check.h"
#include "tracer/base/own.h"
#include "tracer/base/text.h"

struct suite_counts suite_report_count(const struct suite_report *report)
{
    struct suite_counts counts = {0};
    for (size_t i = 0; i < report->suite->count; i++) {
        const struct case_result *result = &report->results[i];
        counts.assertions += result->assertions;
        counts.held += result->verdict == CASE_HELD;
        counts.violated += result->verdict == CASE_VIOLATED;
        counts.errors += result->verdict == CASE_ERROR;
        counts.not_run += result->verdict == CASE_NOT_RUN;
        counts.usage += result->verdict == CASE_ERROR && result->is_usage;
    }
    return counts;
}

const char *suite_report_result(const struct suite_report *report)
{
    const struct suite_counts counts = suite_report_count(report);
    if (counts.errors > 0)
        return "error";
    if (counts.violated > 0)
        return "violated";
    return counts.not_run > 0 ? "partial" : "held";
}

char *suite_report_again(const struct suite_case *suite_case)
{
    const char *const argv[] = {
        "brink", "run", suite_case->source->files[0].path, "--only", suite_case->name, NULL};
    return text_quote(argv);
}

static enum page_colour colour_of(enum case_verdict verdict)
{
    switch (verdict) {
    case CASE_HELD:
        return PAGE_GREEN;
    case CASE_VIOLATED:
    case CASE_ERROR:
        return PAGE_RED;
    case CASE_NOT_RUN:
        return PAGE_YELLOW;
    }
    UNREACHABLE("all verdicts are above");
}

void suite_report_case(FILE *to, const struct suite_report *report, size_t at, size_t name_columns)
{
    const struct page page = page_of(to);
    const struct suite_case *suite_case = &report->suite->cases[at];
    const struct case_result *result = &report->results[at];
    page_colour(&page, colour_of(result->verdict));
    fprintf(to, "%-8s", case_verdict_name(result->verdict));
    page_colour(&page, PAGE_PLAIN);
    fprintf(to, "  %-*s  %6zu assertions %8.2f s\n", (int)name_columns, suite_case->name,
            result->assertions, result->seconds);
    if (!result->why)
        return;
    page_paragraph(&page, "          ", result->why);
    if (result->verdict == CASE_HELD)
        return;
    char *again OWN(own_mem) = suite_report_again(suite_case);
    page_format(&page, "          ", "again: %s", again);
}

void suite_report_end(FILE *to, const struct suite_report *report)
{
    const struct suite_counts counts = suite_report_count(report);
    fprintf(to, "%s: %zu cases, %zu held, %zu violated, %zu errors", suite_report_result(report),
            report->suite->count, counts.held, counts.violated, counts.errors);
    if (counts.not_run > 0)
        fprintf(to, ", %zu not run", counts.not_run);
    fprintf(to, "; %zu assertions, %.2f s\n", counts.assertions, report->seconds);
}

static json_t *case_json(const struct suite_case *suite_case, const struct case_result *result)
{
    json_t *entry = json_object();
    json_object_set_new(entry, "name", json_string(suite_case->name));
    json_object_set_new(entry, "result", json_string(case_verdict_name(result->verdict)));
    json_object_set_new(entry, "assertions", json_integer((json_int_t)result->assertions));
    json_object_set_new(entry, "seconds", json_real(result->seconds));
    json_object_set_new(entry, "runs", json_integer((json_int_t)suite_case->runs));
    json_object_set_new(entry, "failed", json_integer((json_int_t)result->failed));
    json_object_set_new(entry, "file", json_string(suite_case->source->files[0].path));
    if (result->why) {
        char *why OWN(own_mem) = text_escape(result->why, SIZE_MAX);
        json_object_set_new(entry, "why", json_string(why));
    }
    return entry;
}

void suite_report_json(FILE *to, const struct suite_report *report)
{
    const struct suite_counts counts = suite_report_count(report);
    json_t *root = json_object();
    json_t *cases = json_array();
    json_object_set_new(root, "schema", json_string("brink/run/1"));
    json_object_set_new(root, "version", json_string(BRINK_VERSION));
    json_object_set_new(root, "result", json_string(suite_report_result(report)));
    json_object_set_new(root, "assertions", json_integer((json_int_t)counts.assertions));
    json_object_set_new(root, "seconds", json_real(report->seconds));
    json_object_set_new(root, "cases", cases);
    for (size_t i = 0; i < report->suite->count; i++)
        json_array_append_new(cases, case_json(&report->suite->cases[i], &report->results[i]));
    if (json_dumpf(root, to, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) == 0)
        fputc('\n', to);
    json_decref(root);
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* All assertions, numbered: "12 ok retry: stdout[n=3]". */
static void put_assertions(FILE *to, const struct case_result *result)
{
    const json_t *list = json_object_get(result->report, "assertions");
    fputs("      <system-out>", to);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const bool held = json_is_true(json_object_get(entry, "held"));
        fprintf(to, "%zu %s ", i + 1, held ? "ok" : "not ok");
        xml_text(to, text_of(entry, "name"));
        xml_text(to, text_of(entry, "label"));
        if (!held) {
            fputs(": expected ", to);
            xml_text(to, text_of(entry, "expected"));
            fputs(", observed ", to);
            xml_text(to, text_of(entry, "observed"));
        }
        fputc('\n', to);
    }
    fputs("</system-out>\n", to);
}

static void put_bad(FILE *to, const struct suite_case *suite_case, const struct case_result *result)
{
    const char *element = result->verdict == CASE_VIOLATED ? "failure" : "error";
    char *again OWN(own_mem) = suite_report_again(suite_case);
    fprintf(to, "      <%s", element);
    xml_attribute(to, "type", case_verdict_name(result->verdict));
    xml_attribute(to, "message", result->why);
    fputs(">again: ", to);
    xml_text(to, again);
    fprintf(to, "</%s>\n", element);
}

static void put_case(FILE *to, const struct suite_case *suite_case,
                     const struct case_result *result)
{
    fputs("    <testcase classname=\"brink.run\"", to);
    xml_attribute(to, "name", suite_case->name);
    fprintf(to, " assertions=\"%zu\" time=\"%.3f\">\n", result->assertions, result->seconds);
    if (result->verdict == CASE_NOT_RUN) {
        fputs("      <skipped message=\"interrupted\"/>\n", to);
    } else if (result->verdict != CASE_HELD) {
        put_bad(to, suite_case, result);
    }
    put_assertions(to, result);
    fputs("    </testcase>\n", to);
}

void suite_report_junit(FILE *to, const struct suite_report *report)
{
    const struct suite_counts counts = suite_report_count(report);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", to);
    fprintf(to,
            "  <testsuite name=\"brink run\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
            "skipped=\"%zu\" assertions=\"%zu\" time=\"%.3f\">\n",
            report->suite->count, counts.violated, counts.errors, counts.not_run, counts.assertions,
            report->seconds);
    for (size_t i = 0; i < report->suite->count; i++)
        put_case(to, &report->suite->cases[i], &report->results[i]);
    fputs("  </testsuite>\n</testsuites>\n", to);
}
