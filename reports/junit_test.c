#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "example_run_test.h"
#include "xml.h"

static void expect_has(const char *text, const char *part)
{
    cr_expect_not_null(strstr(text, part), "no %s in\n%s", part, text);
}

Test(junit, each_wanted_model_and_each_finding_is_a_case_and_findings_fail)
{
    struct run *run = example_run();
    char *text = example_report(&report_junit, run);
    expect_has(text, "<testsuite name=\"brink\" tests=\"2\" failures=\"1\" errors=\"0\" "
                     "time=\"0.310\">");
    expect_has(text, "<testcase classname=\"brink.model\" name=\"torn\">");
    expect_has(text, "<testcase classname=\"brink.finding\" name=\"torn: write d\\n&lt;b&gt; "
                     "[9c1e22a07b000000]\">");
    expect_has(text,
               "message=\"a write to &quot;db&quot; &amp; others can stop &lt;part-way&gt;\"");
    expect_has(text, "brink replay 7f3a91c2d4");
    cr_expect_null(strstr(text, "name=\"kill\""), "that model was not wanted");
    free(text);
    example_run_free(run);
}

Test(junit, violated_states_without_a_finding_still_fail)
{
    struct run *run = example_run();
    const size_t count = run->findings_count;
    run->findings_count = 0;
    char *text = example_report(&report_junit, run);
    expect_has(text, "tests=\"1\" failures=\"1\"");
    expect_has(text, "<failure type=\"violated\"");
    free(text);
    run->findings_count = count;
    example_run_free(run);
}

static char *xml_of(const char *text, bool is_attribute)
{
    char *out = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&out, &size);
    if (is_attribute)
        xml_attribute(file, "a", text);
    else
        xml_text(file, text);
    fclose(file);
    return out;
}

Test(junit, no_byte_that_xml_forbids_is_written)
{
    static const struct {
        const char *raw, *text, *attribute;
    } rows[] = {
        {"a<b>&\"'", "a&lt;b&gt;&amp;&quot;'", " a=\"a&lt;b&gt;&amp;&quot;'\""},
        {"a\n\tb", "a\n\tb", " a=\"a&#10;&#9;b\""},
        {"\x01\x1b[1m\x7f", "[1m", " a=\"[1m\""},
        {"\xff", "\xef\xbf\xbd", " a=\"\xef\xbf\xbd\""},
        {"\xef\xbf\xbe", "\xef\xbf\xbd", " a=\"\xef\xbf\xbd\""},
        {"é", "é", " a=\"é\""},
        {NULL, "", " a=\"\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = xml_of(rows[i].raw, false);
        char *attribute = xml_of(rows[i].raw, true);
        cr_expect_str_eq(text, rows[i].text);
        cr_expect_str_eq(attribute, rows[i].attribute);
        free(attribute);
        free(text);
    }
}
